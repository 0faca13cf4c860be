package dev.pawl.cli.look;

import dev.pawl.LockInfo;
import dev.pawl.cli.look.StoreView.Now;
import dev.pawl.cli.shell.DurationConverter;
import dev.pawl.cli.shell.Durations;
import dev.pawl.cli.shell.ExitCode;
import dev.pawl.cli.shell.NameConverter;
import dev.pawl.cli.shell.Screen;
import dev.pawl.cli.shell.StoreOption;
import dev.pawl.console.json.Json;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code pawl wait}: returns when nobody holds a name or waits for it. */
@Command(
    name = "wait",
    description = "Wait until nobody holds a name or waits for it, without taking it.",
    footer = {
      "",
      "It looks when the holder's lease could end, and once a second at the latest.",
      "",
      "Examples:",
      "  pawl wait deploy && echo free",
      "  pawl wait -w 30s job:nightly || echo \"still running\""
    })
public final class WaitCommand implements Callable<Integer> {

  private static final Duration SOONEST = Duration.ofMillis(100);

  /** As often as one who waits in the queue lets the store know that it is alive. */
  private static final Duration LATEST = Duration.ofSeconds(1);

  /** Many who wait for one name do not all look at the same moment. */
  private static final long SPREAD_NANOS = Duration.ofMillis(100).toNanos();

  @Spec private @Nullable CommandSpec spec;

  @Mixin private final StoreOption store = new StoreOption();

  @Option(
      names = {"-w", "--wait"},
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "Give up after that long, with exit code 75 (default: never).")
  private @Nullable Duration patience;

  @Option(
      names = {"-q", "--quiet"},
      description = "Do not say whom it waits for.")
  private boolean quiet;

  @Option(names = "--json", description = "Print one JSON object, for programs.")
  private boolean json;

  @Parameters(
      paramLabel = "NAME",
      converter = NameConverter.class,
      description = "The name of the lock.")
  private String name = "";

  @Override
  public Integer call() {
    Screen screen = Screen.of(Objects.requireNonNull(spec));
    long start = System.nanoTime();
    String told = "";
    try (StoreView view = StoreView.open(store)) {
      if (!quiet && !json) {
        view.absence().ifPresent(screen::remark);
        view.jobInstead(name)
            .ifPresent(
                other ->
                    screen.remark(
                        "there is a job of that name, which is not waited for: pawl wait "
                            + other));
      }
      while (true) {
        LockInfo lock = view.inspector().find(name).orElseGet(() -> LockWords.unknown(name));
        boolean free = LockWords.isFree(lock);
        Duration waited = Duration.ofNanos(System.nanoTime() - start);
        if (free || (patience != null && waited.compareTo(patience) >= 0)) {
          return end(screen, lock, view.now(), waited);
        }
        String holder = LockWords.holder(lock);
        if (!quiet && !json && !told.equals(holder)) {
          screen.remark("waiting: " + LockWords.describe(lock, view.now()));
          told = holder;
        }
        pause(lock, patience == null ? LATEST : patience.minus(waited));
      }
    }
  }

  /** Says how it ended; a program gets the lock as it was then. */
  private int end(Screen screen, LockInfo lock, Now now, Duration waited) {
    boolean free = LockWords.isFree(lock);
    if (json) {
      Map<String, @Nullable Object> object = Json.object("now", now.time());
      object.put("waitedSeconds", waited);
      object.putAll(LockJson.of(lock, now));
      screen.print(Json.of(object));
    } else if (!free) {
      screen.complain(
          LockWords.describe(lock, now)
              + "; gave up after "
              + Durations.format(Objects.requireNonNull(patience)));
    }
    return free ? ExitCode.OK : ExitCode.BUSY;
  }

  private static void pause(LockInfo lock, Duration patience) {
    Duration pause =
        lock.holders().stream().map(LockInfo.Holder::left).max(Duration::compareTo).orElse(SOONEST);
    pause = pause.compareTo(SOONEST) < 0 ? SOONEST : pause;
    pause = pause.compareTo(LATEST) > 0 ? LATEST : pause;
    pause = pause.plusNanos(ThreadLocalRandom.current().nextLong(SPREAD_NANOS));
    LockSupport.parkNanos((pause.compareTo(patience) > 0 ? patience : pause).toNanos());
  }
}
