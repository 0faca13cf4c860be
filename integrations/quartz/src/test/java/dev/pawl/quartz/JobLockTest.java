package dev.pawl.quartz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.DistributedLock;
import dev.pawl.Lease;
import dev.pawl.Pawl;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class JobLockTest {

  @Test
  void aThreadThatIsInterruptedAtTheMomentOfTheGrantHoldsNothing() throws Exception {
    try (Pawl pawl = Pawl.connect("memory:")) {
      Lease granted = pawl.lock("job").acquire();
      CompletableFuture<Lease> asked =
          new CompletableFuture<>() {
            @Override
            public Lease get() throws InterruptedException {
              complete(granted);
              throw new InterruptedException();
            }
          };

      assertThatThrownBy(() -> new JobLock(answering(asked)).await(unused -> {}))
          .isInstanceOf(InterruptedException.class);

      assertThat(granted.isHeld()).isFalse();
    }
  }

  private static DistributedLock answering(CompletableFuture<Lease> answer) {
    return (DistributedLock)
        Proxy.newProxyInstance(
            JobLockTest.class.getClassLoader(),
            new Class<?>[] {DistributedLock.class},
            (proxy, method, arguments) -> answer);
  }
}
