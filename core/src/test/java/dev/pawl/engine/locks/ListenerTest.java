package dev.pawl.engine.locks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.LockEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A listener that is stuck costs a bounded number of events. */
class ListenerTest {

  private final List<LockEvent> told = new ArrayList<>();
  private final List<Runnable> started = new ArrayList<>();
  private final Listener listener = new Listener(told::add, started::add);

  private static LockEvent event(int i) {
    return new LockEvent.Refused("x" + i, Duration.ZERO);
  }

  @Test
  void eventsBeyondTheBoundAreDroppedAndTheOthersAreToldInOrder() {
    for (int i = 0; i < Listener.MOST_PENDING + 500; i++) {
      listener.tell(event(i));
    }
    assertThat(started).hasSize(1);
    started.get(0).run();
    assertThat(told).hasSize(Listener.MOST_PENDING);
    assertThat(told.get(0)).isEqualTo(event(0));
    assertThat(told.get(Listener.MOST_PENDING - 1)).isEqualTo(event(Listener.MOST_PENDING - 1));

    listener.tell(event(-1));
    started.get(1).run();
    assertThat(told.get(Listener.MOST_PENDING)).isEqualTo(event(-1));
  }
}
