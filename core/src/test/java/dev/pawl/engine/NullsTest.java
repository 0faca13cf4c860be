package dev.pawl.engine;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Inspector;
import dev.pawl.LeaseGroup;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import dev.pawl.Store;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Null is refused where it comes in, with the name of what it is. */
class NullsTest {

  @Test
  void nullIsRefusedEverywhere() throws Exception {
    try (Pawl pawl = Pawl.connect("memory:");
        LeaseGroup group = pawl.allOf("held").acquire()) {
      Inspector inspector = pawl.inspector();
      var lock = pawl.lock("x");
      Map<String, ThrowingCallable> uses = new LinkedHashMap<>();
      uses.put("connect: url", () -> Pawl.connect(null));
      uses.put("builder: store", () -> Pawl.builder((Store) null));
      uses.put("defaults: options", () -> Pawl.builder("memory:").defaults(null));
      uses.put("callbackExecutor: executor", () -> Pawl.builder("memory:").callbackExecutor(null));
      uses.put("lock: name", () -> pawl.lock(null));
      uses.put("lock: options", () -> pawl.lock("x", null));
      uses.put("readWriteLock: name", () -> pawl.readWriteLock(null));
      uses.put("readWriteLock: options", () -> pawl.readWriteLock("x", null));
      uses.put("semaphore: name", () -> pawl.semaphore(null, 1));
      uses.put("semaphore: options", () -> pawl.semaphore("x", 1, null));
      uses.put("allOf: names", () -> pawl.allOf((Collection<String>) null));
      uses.put("allOf: name", () -> pawl.allOf(Arrays.asList("x", null), LockOptions.DEFAULT));
      uses.put("election: name", () -> pawl.election(null));
      uses.put("election: options", () -> pawl.election("x", null));
      uses.put("lead: leader", () -> pawl.election("x").lead(null));
      uses.put("listen: listener", () -> pawl.listen(null));
      uses.put("monitor: monitor", () -> pawl.monitor(null));
      uses.put("acquire: wait", () -> lock.acquire(null));
      uses.put("tryAcquire: wait", () -> lock.tryAcquire(null));
      uses.put("acquireAsync: wait", () -> lock.acquireAsync(null));
      uses.put("tryLock: unit", () -> lock.tryLock(1, null));
      uses.put("onLost: action", () -> group.leases().get(0).onLost(null));
      uses.put("extend: atLeast", () -> group.leases().get(0).extend(null));
      uses.put("closeAfter: keep", () -> group.leases().get(0).closeAfter(null));
      uses.put("group's onLost: action", () -> group.onLost(null));
      uses.put("list: prefix", () -> inspector.list(null, 1));
      uses.put("find: name", () -> inspector.find(null));
      uses.put("forceRelease: by", () -> inspector.forceRelease("x", 1, null, "why"));
      uses.put("forceRelease: reason", () -> inspector.forceRelease("x", 1, "me", null));
      uses.put("journal: name", () -> inspector.journal(null, 1));
      uses.put("runs: job", () -> inspector.runs(null, 1));
      uses.put("pauseJob: job", () -> inspector.pauseJob(null, "me", "why"));
      uses.put("pauseJob: by", () -> inspector.pauseJob("x", null, "why"));
      uses.put("resumeJob: reason", () -> inspector.resumeJob("x", "me", null));
      uses.put("permitRerun: tick", () -> inspector.permitRerun("x", null, "me", "why"));
      uses.put("withdrawRerun: tick", () -> inspector.withdrawRerun("x", null, "me", "why"));
      uses.put("jobControl: job", () -> inspector.jobControl(null));
      uses.forEach(
          (what, use) ->
              assertThatThrownBy(use)
                  .as(what)
                  .isInstanceOf(NullPointerException.class)
                  .hasMessageContaining(what.substring(what.indexOf(": ") + 2)));
    }
  }
}
