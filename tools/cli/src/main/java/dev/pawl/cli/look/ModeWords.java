package dev.pawl.cli.look;

import dev.pawl.cli.look.StoreView.Now;
import dev.pawl.cli.shell.Durations;
import dev.pawl.cli.shell.Screen;
import dev.pawl.cli.shell.Table;
import dev.pawl.console.json.Json;
import dev.pawl.spi.PairStatus;
import dev.pawl.spi.PairStatus.Mode;
import dev.pawl.spi.PairStatus.Node;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** How a pair of stores stands, for people and for programs. */
final class ModeWords {

  /** How many names and nodes are shown in a line. */
  private static final int MOST_SHOWN = 5;

  private ModeWords() {}

  /** Returns the bare mode, {@code backup}. */
  static String mode(PairStatus status) {
    return status.mode().name().toLowerCase(Locale.ROOT);
  }

  /** Returns the mode in a line, {@code backup, most nodes see the primary dead}. */
  static String line(PairStatus status) {
    return mode(status)
        + (status.chosen() ? " (chosen by a person)" : "")
        + (status.mode() == Mode.PRIMARY ? "" : ": " + Table.plain(status.reason()))
        + pending(status);
  }

  private static String pending(PairStatus status) {
    List<Node> unconfirmed = unconfirmed(status);
    List<Node> unmoved = unmoved(status);
    return !unconfirmed.isEmpty()
        ? "; %d of %d nodes have not confirmed".formatted(unconfirmed.size(), status.nodes().size())
        : unmoved.isEmpty()
            ? ""
            : "; %d of %d nodes have not moved everything"
                .formatted(unmoved.size(), status.nodes().size());
  }

  private static List<Node> unconfirmed(PairStatus status) {
    return status.nodes().stream().filter(node -> !node.confirmed()).toList();
  }

  private static List<Node> unmoved(PairStatus status) {
    return status.mode() == Mode.RETURNING
        ? status.nodes().stream().filter(node -> !node.moved()).toList()
        : List.of();
  }

  /** Prints all that is known. */
  static void print(Screen screen, PairStatus status, Now now) {
    line(
        screen,
        "mode",
        mode(status) + (status.chosen() ? ", until a person chooses the primary" : ""));
    line(
        screen,
        "since",
        status.since().map(since -> since + ", " + now.ago(since)).orElse("the beginning"));
    line(screen, "why", status.reason());
    line(screen, "epoch", Long.toString(status.epoch()));
    line(screen, "primary", status.primary());
    line(screen, "backup", status.backup());
    line(screen, "lease", Durations.format(status.lease()) + " (the mode lease)");
    if (!unconfirmed(status).isEmpty()) {
      line(screen, "waits", "for " + shown(labels(unconfirmed(status))) + " to confirm");
    } else if (status.mode() == Mode.LEAVING) {
      line(screen, "waits", "for a node that completes it: the next one that is connected");
    }
    if (status.mode() == Mode.RETURNING) {
      line(
          screen,
          "unmoved",
          status.unmoved().isEmpty()
              ? "nothing that is held"
              : shown(status.unmoved()) + " not in the primary yet");
    }
    if (status.nodes().isEmpty()) {
      screen.remark("no node is connected to the pair");
      return;
    }
    Table table = new Table("NODE", "VOTES", "CONFIRMED", "MOVED", "REACHES PRIMARY");
    for (Node node : status.nodes()) {
      table.row(
          node.label(),
          yes(node.votes()),
          yes(node.confirmed()),
          status.mode() == Mode.RETURNING ? yes(node.moved()) : LockWords.NONE,
          yes(node.reaches()));
    }
    screen.print("");
    table.print(screen);
  }

  private static void line(Screen screen, String title, String value) {
    screen.print(
        screen.styled(Screen.Style.BOLD, "%-7s".formatted(title)) + " " + Table.plain(value));
  }

  private static String yes(boolean is) {
    return is ? "yes" : "no";
  }

  private static List<String> labels(List<Node> nodes) {
    return nodes.stream().map(Node::label).toList();
  }

  private static String shown(List<String> all) {
    return all.stream().limit(MOST_SHOWN).collect(Collectors.joining(", "))
        + (all.size() > MOST_SHOWN ? " and " + (all.size() - MOST_SHOWN) + " more" : "");
  }

  /** Returns it with the field names that programs rely on. */
  static Map<String, @Nullable Object> json(PairStatus status, Now now) {
    return Json.object(
        "now",
        now.time(),
        "mode",
        mode(status),
        "epoch",
        status.epoch(),
        "since",
        status.since(),
        "reason",
        status.reason(),
        "chosen",
        status.chosen(),
        "primary",
        status.primary(),
        "backup",
        status.backup(),
        "leaseSeconds",
        status.lease(),
        "nodes",
        status.nodes().stream()
            .map(
                node ->
                    Json.object(
                        "id",
                        node.id(),
                        "label",
                        node.label(),
                        "votes",
                        node.votes(),
                        "confirmed",
                        node.confirmed(),
                        "moved",
                        node.moved(),
                        "reachesPrimary",
                        node.reaches()))
            .toList(),
        "unmoved",
        status.unmoved());
  }
}
