package dev.pawl.bench.crowd;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * What another client of the server notices of the crowd: the least thing there is, asked often.
 */
final class Pings implements AutoCloseable {

  private static final long PERIOD_NANOS = 5_000_000;

  private final List<Double> millis = new ArrayList<>();
  private final Thread thread;
  private volatile boolean over;

  Pings(Server server) throws Exception {
    Server.Ping ping = server.ping();
    thread = new Thread(() -> run(ping), "ping");
    thread.start();
  }

  private void run(Server.Ping ping) {
    try (ping) {
      while (!over) {
        long before = System.nanoTime();
        ping.run();
        millis.add((System.nanoTime() - before) / 1e6);
        LockSupport.parkNanos(PERIOD_NANOS);
      }
    } catch (Exception e) {
      millis.add(Double.POSITIVE_INFINITY); // It was not answered at all.
    }
  }

  /** Stops, and returns the time that 99 of 100 took at most, in milliseconds. */
  double p99() throws InterruptedException {
    over = true;
    thread.join();
    Collections.sort(millis);
    return millis.isEmpty() ? Double.NaN : millis.get((int) (millis.size() * 0.99));
  }

  @Override
  public void close() {
    over = true;
  }
}
