package dev.pawl.console;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that is put forward. */
final class Hands extends Clock {

  private final AtomicLong ahead = new AtomicLong();

  void putForward(long seconds) {
    ahead.addAndGet(seconds);
  }

  @Override
  public Instant instant() {
    return Instant.now().plusSeconds(ahead.get());
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    return this;
  }
}
