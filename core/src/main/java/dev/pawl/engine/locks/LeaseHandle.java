package dev.pawl.engine.locks;

import dev.pawl.Lease;
import java.lang.ref.Reference;
import java.time.Duration;

/**
 * What a user has of a lease. The engine has the lease itself and not this: if nobody has the
 * handle any more, nobody can close the lease, and it is forgotten.
 */
final class LeaseHandle implements Lease {

  private final HeldLease lease;

  LeaseHandle(HeldLease lease) {
    this.lease = lease;
  }

  @Override
  public String name() {
    return lease.name();
  }

  @Override
  public long token() {
    return lease.token();
  }

  @Override
  public boolean isHeld() {
    return lease.isHeld();
  }

  @Override
  public Duration remaining() {
    return lease.remaining();
  }

  @Override
  public void ensureHeld() {
    lease.ensureHeld();
  }

  @Override
  public void confirm() {
    try {
      lease.confirm();
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  @Override
  public void extend(Duration atLeast) {
    try {
      lease.extend(atLeast);
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  @Override
  public void onLost(Runnable action) {
    lease.onLost(action);
  }

  @Override
  public void close() {
    try {
      lease.close();
    } finally {
      Reference.reachabilityFence(this); // It is not forgotten while it is being closed.
    }
  }

  @Override
  public void closeAfter(Duration keep) {
    try {
      lease.closeAfter(keep);
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  @Override
  public String toString() {
    return lease.toString();
  }
}
