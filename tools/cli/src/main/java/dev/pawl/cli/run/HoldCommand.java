package dev.pawl.cli.run;

import dev.pawl.Lease;
import dev.pawl.LeaseLostException;
import dev.pawl.LockTimeoutException;
import dev.pawl.Pawl;
import dev.pawl.cli.shell.ExitCode;
import dev.pawl.cli.shell.NameConverter;
import dev.pawl.cli.shell.Screen;
import dev.pawl.cli.shell.StoreOption;
import dev.pawl.console.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code pawl hold}: a lock that is held until it is let go. */
@Command(
    name = "hold",
    description = "Hold a lock, until the input ends, a line comes, or TERM.",
    footer = {
      "",
      "Prints the token when the lock is held, and lets go when its input ends or a line comes, or"
          + " with TERM. An input that is /dev/null, as in the background of a script, is not"
          + " heeded, nor is a terminal in whose background it runs. If the lease is lost, it ends"
          + " with 76: whoever works under the lock must look. Where a command can be named, pawl"
          + " run is safer: it ends the command in time.",
      "",
      "Exit codes: 0 let go; 64 wrong usage; 69 store unavailable; 75 busy, timed out; 76 lost",
      "",
      "Examples:",
      "  pawl hold deploy                        # until Enter or Ctrl-D",
      "  pawl hold deploy -w 1m --json <go       # until whoever writes to the pipe closes it",
      "  ssh db1 pawl hold migration             # until the connection ends"
    })
public final class HoldCommand implements Callable<Integer> {

  private static final String LOST = "lost";
  private static final String TOLD = "told";

  /** How often one in the background of a terminal looks whether it is still there. */
  private static final long LOOK_NANOS = 200_000_000;

  @Spec private @Nullable CommandSpec spec;

  @Mixin private StoreOption store = new StoreOption();

  @Mixin private AcquireOptions acquire = new AcquireOptions();

  @Parameters(
      paramLabel = "NAME",
      converter = NameConverter.class,
      description = "The name of the lock.")
  private String name = "";

  @Option(
      names = "--json",
      description = "Print a JSON object when it is held, and one at the end.")
  private boolean json;

  @Option(
      names = {"-q", "--quiet"},
      description = "Do not say why it was not acquired, and how to let go.")
  private boolean quiet;

  @Override
  public Integer call() {
    acquire.check();
    Screen screen = Screen.of(Objects.requireNonNull(spec));
    Signals signals = Signals.take();
    long begunAt = System.nanoTime();
    try (Pawl pawl = store.connect("hold");
        Lease lease = acquire.acquire(pawl, name)) {
      BlockingQueue<String> ends = new LinkedBlockingQueue<>();
      lease.onLost(() -> ends.add(LOST));
      signals.passTo(ends::add);
      long heldAt = System.nanoTime();
      print(screen, pawl, lease, Duration.ofNanos(heldAt - begunAt));
      watchInput(ends);
      String end = ends.take();
      if (end.equals(LOST)) {
        lease.ensureHeld();
      }
      if (json) {
        Duration held = Duration.ofNanos(System.nanoTime() - heldAt);
        screen.print(Json.of(Json.object("event", "released", "heldSeconds", held)));
      }
      return end.equals("INT") || end.equals("HUP") ? Signals.code(end) : ExitCode.OK;
    } catch (LockTimeoutException e) {
      if (!quiet) {
        screen.remark(String.valueOf(e.getMessage()));
      }
      return ExitCode.BUSY;
    } catch (LeaseLostException e) {
      if (json) {
        screen.print(Json.of(Json.object("event", "lost", "reason", e.getMessage())));
      }
      screen.complain(String.valueOf(e.getMessage()));
      return ExitCode.LEASE_LOST;
    } catch (InterruptedException e) {
      return signals.code();
    } catch (RuntimeException e) {
      if (signals.hasCome()) {
        return signals.code(); // Whatever the interrupt has made of it.
      }
      throw e;
    }
  }

  private void print(Screen screen, Pawl pawl, Lease lease, Duration waited) {
    if (json) {
      screen.print(
          Json.of(
              Json.object(
                  "event",
                  "held",
                  "name",
                  name,
                  "token",
                  lease.token(),
                  "node",
                  pawl.label(),
                  "leaseSeconds",
                  acquire.lease(),
                  "waitedSeconds",
                  waited)));
    } else {
      screen.print(Long.toString(lease.token()));
    }
    if (!quiet && Screen.isAnswered()) {
      screen.remark(
          Foreground.isElsewhere()
              ? "holding " + name + "; kill " + ProcessHandle.current().pid() + " lets go"
              : "holding " + name + "; Enter or Ctrl-D lets go");
    }
  }

  private static void watchInput(BlockingQueue<String> ends) {
    if (isNull()) {
      return;
    }
    Thread reader =
        new Thread(
            () -> {
              awaitForeground();
              awaitLine(System.in);
              ends.add(TOLD);
            },
            "pawl-input");
    reader.setDaemon(true);
    reader.start();
  }

  /** In the background of a terminal we would be stopped, and the lease lost. */
  private static void awaitForeground() {
    while (Screen.isAnswered() && Foreground.isElsewhere()) {
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  private static void awaitLine(InputStream input) {
    try {
      int next = input.read();
      while (next >= 0 && next != '\n') {
        next = input.read();
      }
    } catch (IOException e) {
      // An input that cannot be read has ended.
    }
  }

  /** A shell gives that to what it runs in the background: nobody has closed anything. */
  private static boolean isNull() {
    try {
      return Files.readSymbolicLink(Path.of("/proc/self/fd/0")).equals(Path.of("/dev/null"));
    } catch (IOException e) {
      return false;
    }
  }
}
