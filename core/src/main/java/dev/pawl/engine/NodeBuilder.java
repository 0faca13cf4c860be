package dev.pawl.engine;

import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import dev.pawl.engine.deadlocks.DeadlockWatch;
import dev.pawl.engine.link.Failures;
import dev.pawl.engine.link.Names;
import dev.pawl.engine.locks.Engine;
import dev.pawl.engine.locks.Vigilance;
import dev.pawl.engine.threads.Platform;
import dev.pawl.engine.threads.Threads;
import dev.pawl.spi.Capability;
import dev.pawl.spi.LockStore;
import dev.pawl.text.DurationText;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The configuration of a node. */
final class NodeBuilder implements Pawl.Builder {

  private static final Duration DEFAULT_RESPONSE_TIMEOUT = Duration.ofSeconds(3);
  private static final Duration MIN_RESPONSE_TIMEOUT = Duration.ofMillis(100);
  private static final Duration MAX_RESPONSE_TIMEOUT = Duration.ofMinutes(1);
  private static final Duration MIN_HELD = Duration.ofSeconds(1);
  private static final Duration MAX_HELD = Duration.ofDays(365);
  private static final int MOST_LABEL_CHARS = 100;

  /** How often connecting begins again because it was interrupted. */
  private static final int MOST_ATTEMPTS = 3;

  private final Supplier<LockStore> openingExisting;
  private final boolean ownsStore;
  private String label = defaultLabel();
  private @Nullable LockOptions defaults;
  private Duration responseTimeout = DEFAULT_RESPONSE_TIMEOUT;
  private @Nullable Executor callbacks;
  private Vigilance vigilance = Vigilance.NONE;

  private boolean looking;

  /** How the store is opened when the node is built. */
  private Supplier<LockStore> store;

  NodeBuilder(Supplier<LockStore> opening, Supplier<LockStore> openingExisting, boolean ownsStore) {
    this.openingExisting = openingExisting;
    this.store = opening;
    this.ownsStore = ownsStore;
  }

  @Override
  public Pawl.Builder label(String newLabel) {
    if (newLabel.isBlank()
        || newLabel.length() > MOST_LABEL_CHARS
        || newLabel.chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException(
          "label is "
              + Names.quote(newLabel)
              + "; allowed are 1 to "
              + MOST_LABEL_CHARS
              + " characters that are not all blank, without control characters");
    }
    this.label = newLabel;
    return this;
  }

  @Override
  public Pawl.Builder defaults(LockOptions options) {
    this.defaults = Objects.requireNonNull(options, "options");
    return this;
  }

  @Override
  public Pawl.Builder responseTimeout(Duration timeout) {
    DurationText.check("responseTimeout", timeout, MIN_RESPONSE_TIMEOUT, MAX_RESPONSE_TIMEOUT);
    this.responseTimeout = timeout;
    return this;
  }

  @Override
  public Pawl.Builder callbackExecutor(Executor executor) {
    this.callbacks = Objects.requireNonNull(executor, "executor");
    return this;
  }

  @Override
  public Pawl.Builder existingStore() {
    this.store = openingExisting;
    this.looking = true;
    return this;
  }

  @Override
  public Pawl.Builder warnIfHeldFor(Duration time) {
    DurationText.check("warnIfHeldFor", time, MIN_HELD, MAX_HELD);
    this.vigilance = new Vigilance(time.toNanos(), vigilance.traces());
    return this;
  }

  @Override
  public Pawl.Builder traceAcquires(boolean trace) {
    this.vigilance = new Vigilance(vigilance.warnNanos(), trace);
    return this;
  }

  @Override
  public Pawl build() {
    boolean interrupted = Thread.interrupted(); // Many drivers fail in an interrupted thread.
    try {
      for (int attempt = 1; ; attempt++) {
        try {
          return start();
        } catch (RuntimeException e) {
          boolean meanwhile = Thread.interrupted() || Failures.isInterrupt(e);
          interrupted |= meanwhile;
          if (!meanwhile || attempt == MOST_ATTEMPTS) {
            throw e;
          }
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private Pawl start() {
    LockStore opened = store.get();
    @Nullable Platform platform = null;
    try {
      if (ownsStore && !looking) {
        PairSign.check(opened, responseTimeout);
      }
      String node = randomId();
      platform = Threads.platform(node, callbacks);
      Engine engine =
          new Engine(opened, node, label, responseTimeout, platform, vigilance, DeadlockWatch::new);
      if (!looking) {
        PairSign.watch(opened, platform);
      }
      return new Node(engine, ownsStore, optionsFor(opened));
    } catch (RuntimeException | Error e) {
      if (platform != null) {
        platform.shutdown().run();
      }
      if (ownsStore) {
        opened.close();
      }
      throw e;
    }
  }

  /** Options nobody chose are those the store can do. */
  private LockOptions optionsFor(LockStore opened) {
    return defaults != null
        ? defaults
        : LockOptions.DEFAULT.withFair(opened.capabilities().contains(Capability.FAIR));
  }

  private static String randomId() {
    String letters = "abcdefghijklmnopqrstuvwxyz234567";
    SecureRandom random = new SecureRandom();
    StringBuilder id = new StringBuilder();
    for (int i = 0; i < 16; i++) {
      id.append(letters.charAt(random.nextInt(letters.length())));
    }
    return id.toString();
  }

  private static String defaultLabel() {
    return "java@" + host() + ":" + ProcessHandle.current().pid();
  }

  private static String host() {
    String host = System.getenv("HOSTNAME");
    if (host != null && !host.isBlank()) {
      return host;
    }
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "localhost";
    }
  }
}
