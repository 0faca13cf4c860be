package dev.pawl.cli.look;

import dev.pawl.Inspector;
import dev.pawl.LockInfo;
import dev.pawl.cli.shell.Durations;
import dev.pawl.cli.shell.ExitCode;
import dev.pawl.cli.shell.NameConverter;
import dev.pawl.cli.shell.Refusal;
import dev.pawl.cli.shell.Screen;
import dev.pawl.cli.shell.StoreOption;
import dev.pawl.console.json.Json;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code pawl release}: takes a name away from the holder that an operator saw. */
@Command(
    name = "release",
    description = "Take a name away from its holder, by force.",
    footer = {
      "",
      "The holder's node is told, and its token is refused wherever tokens are checked;",
      "what it does without asking goes on. Make sure that it is dead, or does no harm.",
      "Nothing happens, with exit code 75, if the holder has changed since you looked.",
      "",
      "Example:",
      "  pawl release invoice:42 --token 17 --reason \"host is gone\""
    })
public final class ReleaseCommand implements Runnable {

  @Spec private @Nullable CommandSpec spec;

  @Mixin private final StoreOption store = new StoreOption();

  @Option(
      names = {"-t", "--token"},
      paramLabel = "T",
      required = true,
      description = "The token of the holder you saw; pawl show tells it.")
  private long token;

  @Mixin private final Confirmation confirmation = new Confirmation();

  @Option(
      names = {"-q", "--quiet"},
      description = "Say nothing when it is done.")
  private boolean quiet;

  @Option(names = "--json", description = "Print what was released as one JSON object.")
  private boolean json;

  @Parameters(
      paramLabel = "NAME",
      converter = NameConverter.class,
      description = "The name of the lock.")
  private String name = "";

  @Override
  public void run() {
    Screen screen = Screen.of(Objects.requireNonNull(spec));
    if (json && quiet) {
      throw Refusal.usage("--json and --quiet exclude each other");
    }
    confirmation.check("releases");
    try (StoreView view = StoreView.open(store)) {
      Inspector inspector = view.inspector();
      LockInfo.Holder holder = holder(inspector, view);
      confirmation.ask(
          screen,
          "%s holds %s for %s, since %s, token %d"
              .formatted(
                  holder.label(),
                  name,
                  Durations.format(view.now().since(holder.since())),
                  holder.since(),
                  token),
          "Release it?",
          "nothing was released");
      String by = Confirmation.operator(System.getenv());
      if (!inspector.forceRelease(name, token, by, confirmation.reason())) {
        throw gone(inspector.find(name), view);
      }
      if (json) {
        screen.print(
            Json.of(
                Json.object(
                    "released",
                    name,
                    "holder",
                    LockJson.of(holder, view.now()),
                    "reason",
                    confirmation.reason())));
      } else if (!quiet) {
        screen.print("released " + name + " from " + holder.label());
      }
    }
  }

  private LockInfo.Holder holder(Inspector inspector, StoreView view) {
    Optional<LockInfo> lock = inspector.find(name);
    return lock.stream()
        .flatMap(info -> info.holders().stream())
        .filter(holder -> holder.token() == token)
        .findFirst()
        .orElseThrow(() -> gone(lock, view));
  }

  private Refusal gone(Optional<LockInfo> lock, StoreView view) {
    String instead =
        lock.filter(info -> !info.holders().isEmpty())
            .map(info -> LockWords.describe(info, view.now()))
            .orElse("nobody holds it");
    String elsewhere =
        view.absence()
            .or(
                () ->
                    view.jobInstead(name)
                        .map(job -> "there is a job of that name: pawl release " + job))
            .map(hint -> "; " + hint)
            .orElse("");
    return new Refusal(
        ExitCode.BUSY,
        "the holder of %s with token %d is gone: %s; nothing was released%s"
            .formatted(name, token, instead, elsewhere));
  }
}
