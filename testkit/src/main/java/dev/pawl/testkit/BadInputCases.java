package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.InvalidNameException;
import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import dev.pawl.spi.Capability;
import dev.pawl.text.DurationText;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Bad input gets a typed exception that says the value and what is allowed, before any I/O. */
abstract class BadInputCases extends ApiCases {

  BadInputCases(StoreConformance suite) {
    super(suite);
  }

  @Test
  void badNamesAreRefused() {
    Pawl a = pawl("a");
    Map<String, String> shown = new LinkedHashMap<>();
    shown.put("", "empty");
    shown.put(" ", "blank");
    shown.put("\u3000\u00a0 ", "blank");
    shown.put("x".repeat(256), "256 bytes");
    shown.put("é".repeat(128), "256 bytes");
    shown.put("😀".repeat(64), "256 bytes");
    shown.put("a\0b", "\\u0000");
    shown.put("a\nb", "\\u000a");
    shown.put("tab\t", "\\u0009");
    shown.put("a\u007f", "\\u007f");
    shown.put("a\u0085", "\\u0085");
    shown.put("a\ud83d", "\\ud83d");
    shown.put("\ude00a", "\\ude00");
    Map<String, Consumer<String>> uses = new LinkedHashMap<>();
    uses.put("lock", a::lock);
    uses.put("allOf", a::allOf);
    if (store().capabilities().contains(Capability.SHARED)) {
      uses.put("readWriteLock", a::readWriteLock);
    }
    if (store().capabilities().contains(Capability.SEMAPHORE)) {
      uses.put("semaphore", name -> a.semaphore(name, 1));
    }
    if (store().capabilities().contains(Capability.INSPECT)) {
      uses.put("find", name -> a.inspector().find(name));
      uses.put("journal", name -> a.inspector().journal(name, 1));
    }

    shown.forEach(
        (name, part) ->
            uses.forEach(
                (what, use) ->
                    assertThatThrownBy(() -> use.accept(name))
                        .as("%s of a name that is shown with %s", what, part)
                        .isInstanceOf(InvalidNameException.class)
                        .hasMessageContaining(part)
                        .hasMessageContaining("1 to 255 bytes")
                        .message()
                        .doesNotContainPattern("[\\p{Cntrl}\\p{Cs}]")));
    assertThat(calls(a)).isEmpty();
  }

  @Test
  void theLongestNamesAreLocked() throws Exception {
    Pawl a = pawl("a");
    String longest = prefix() + "x".repeat(255 - prefix().length());
    try (Lease lease = a.lock(longest).acquire()) {
      assertThat(lease.name()).isEqualTo(longest);
      assertThat(pawl("b").lock(longest).tryAcquire()).isEmpty();
    }
  }

  @Test
  void namesThatDifferInAByteAreDifferentLocks() throws Exception {
    Pawl a = pawl("a");
    Pawl b = pawl("b");
    try (Lease lease = a.lock(name("a")).acquire()) {
      for (String other : List.of("A", "á", "a\u0301", "a ", "😀")) {
        b.lock(name(other)).tryAcquire().orElseThrow().close();
      }
      lease.ensureHeld();
    }
  }

  @Test
  void badLeasesAreRefused() {
    for (Duration bad :
        List.of(
            Duration.ZERO,
            Duration.ofSeconds(-1),
            Duration.ofMillis(99),
            Duration.ofDays(1).plusNanos(1),
            Duration.ofSeconds(Long.MAX_VALUE))) {
      refused(() -> LockOptions.DEFAULT.withLease(bad), DurationText.format(bad), "100ms to 1d");
    }
    for (int bad : new int[] {-1, 1_001, Integer.MIN_VALUE}) {
      refused(() -> LockOptions.DEFAULT.withLocalPasses(bad), "" + bad, "0 to 1000");
    }
    LockOptions.DEFAULT.withLease(Duration.ofMillis(100)).withLease(Duration.ofDays(1));
  }

  @Test
  void badWaitsAreRefused() {
    Pawl a = pawl("a");
    for (Duration bad : List.of(Duration.ofNanos(-1), Duration.ofSeconds(Long.MAX_VALUE))) {
      refused(() -> a.lock(name()).acquire(bad), DurationText.format(bad), "allowed");
      refused(() -> a.lock(name()).tryAcquire(bad), DurationText.format(bad), "allowed");
      refused(() -> a.lock(name()).acquireAsync(bad), DurationText.format(bad), "allowed");
      refused(() -> a.allOf(name()).acquire(bad), DurationText.format(bad), "allowed");
      refused(() -> a.allOf(name()).tryAcquire(bad), DurationText.format(bad), "allowed");
    }
    assertThat(calls(a)).isEmpty();
  }

  @Test
  void theLongestWaitDoesNotOverflow() throws Exception {
    Pawl a = pawl("a");
    a.lock(name()).acquire(Duration.ofNanos(Long.MAX_VALUE)).close();
    Lease lease = a.lock(name()).acquire();
    Pawl b = pawl("b");
    Background<Lease> waiting =
        Background.startAndBlock(
            "waiting", () -> b.lock(name()).acquire(Duration.ofNanos(Long.MAX_VALUE)));

    lease.close();

    waiting.result().close();
  }

  @Test
  @Needs(Capability.SEMAPHORE)
  void badPermitsAreRefused() {
    Pawl a = pawl("a");
    for (int bad : new int[] {0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
      refused(() -> a.semaphore(name(), bad), "" + bad, "1 to ");
    }
    for (int bad : new int[] {0, -1, 4, Integer.MAX_VALUE}) {
      refused(() -> a.semaphore(name(), 3).acquire(bad), "" + bad, "1 to 3");
      refused(() -> a.semaphore(name(), 3).tryAcquire(bad), "" + bad, "1 to 3");
      refused(() -> a.semaphore(name(), 3).acquireAsync(bad, LONG), "" + bad, "1 to 3");
    }
    assertThat(calls(a)).isEmpty();
  }

  @Test
  void badGroupsAreRefused() {
    Pawl a = pawl("a");

    refused(() -> a.allOf(List.of()), "[]", "one or more");
    refused(() -> a.allOf(name(), name()), name(), "each once");
    assertThat(calls(a)).isEmpty();
  }

  @Test
  @Needs(Capability.INSPECT)
  void badLimitsAreRefused() {
    Pawl a = pawl("a");

    refused(() -> a.inspector().list(prefix(), 0), "0", "1 and more");
    refused(() -> a.inspector().journal(-1), "-1", "1 and more");
    assertThat(calls(a)).isEmpty();
  }

  @Test
  void badConfigurationIsRefused() {
    Pawl.Builder builder = Pawl.builder(store());

    refused(() -> builder.label(" "), "\" \"", "1 to 100");
    refused(() -> builder.label("a\nb"), "\\u000a", "control");
    refused(() -> builder.responseTimeout(Duration.ZERO), "0s", "100ms to 1m");
    refused(() -> builder.responseTimeout(Duration.ofHours(1)), "1h", "100ms to 1m");
  }

  /** The type of the exception, and a message that says the value and what is allowed. */
  private static void refused(ThrowingCallable use, String... parts) {
    assertThatThrownBy(use).isInstanceOf(IllegalArgumentException.class).message().contains(parts);
  }
}
