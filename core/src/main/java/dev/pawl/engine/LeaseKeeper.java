package dev.pawl.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Does what is due: fires timers and sends the renewals and polls that come of it, together for
 * each shard, and each call on its own (I9).
 */
final class LeaseKeeper {

  private final Engine engine;

  LeaseKeeper(Engine engine) {
    this.engine = engine;
  }

  void onDue(List<Timed> due) {
    List<RenewalCall> calls = new ArrayList<>();
    Map<String, RenewalCall> latest = new HashMap<>();
    long now = engine.now();
    RenewalBatch batch =
        (claim, command) -> {
          String shard = engine.store().shard(command.name());
          RenewalCall call = latest.get(shard);
          if (call == null || call.isFull()) {
            call = new RenewalCall(now);
            latest.put(shard, call);
            calls.add(call);
          }
          call.add(claim, command);
        };
    for (Timed timed : due) {
      try {
        timed.fire(now, batch);
      } catch (RuntimeException e) {
        engine.platform().bugs().accept(e);
      }
    }
    calls.forEach(this::send);
  }

  private void send(RenewalCall call) {
    engine.whenDone(engine.renew(store -> call.send(store, engine.now())), call::onReplies);
  }
}
