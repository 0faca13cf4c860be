package dev.pawl.engine.locks;

import dev.pawl.Lease;
import dev.pawl.LeaseGroup;
import dev.pawl.LeaseLostException;
import dev.pawl.engine.link.Names;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Leases that are held and closed together. */
record NodeLeaseGroup(List<Lease> leases) implements LeaseGroup {

  NodeLeaseGroup {
    leases = List.copyOf(leases);
  }

  @Override
  public long token(String name) {
    return leases.stream()
        .filter(lease -> lease.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    Names.quote(name)
                        + " is not in this group of "
                        + leases.stream().map(Lease::name).toList()))
        .token();
  }

  @Override
  public boolean isHeld() {
    return leases.stream().allMatch(Lease::isHeld);
  }

  @Override
  public void ensureHeld() {
    leases.forEach(Lease::ensureHeld);
  }

  @Override
  public void onLost(Runnable action) {
    Objects.requireNonNull(action, "action");
    AtomicBoolean ran = new AtomicBoolean();
    for (Lease lease : leases) {
      lease.onLost(
          () -> {
            if (ran.compareAndSet(false, true)) {
              action.run();
            }
          });
    }
  }

  @Override
  public void close() {
    @Nullable LeaseLostException lost = null;
    for (int i = leases.size() - 1; i >= 0; i--) {
      try {
        leases.get(i).close();
      } catch (LeaseLostException e) {
        if (lost == null) {
          lost = e;
        } else {
          lost.addSuppressed(e);
        }
      }
    }
    if (lost != null) {
      throw lost;
    }
  }
}
