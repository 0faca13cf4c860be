package dev.pawl.cli.demo;

import dev.pawl.cli.shell.Screen;
import dev.pawl.cli.shell.Screen.Style;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The live view: what each node does, what arrived at each phone, and how long it will take. */
final class Panel {

  private static final int BAR = 40;
  private static final int CELL = 36;

  private record Doing(Style style, String text) {}

  private final Screen screen;
  private final Timing timing;
  private final Map<Integer, Doing> nodes = new TreeMap<>();
  private final Map<String, Integer> phones = new LinkedHashMap<>();

  Panel(Screen screen, Timing timing) {
    this.screen = screen;
    this.timing = timing;
  }

  /** Shows what a node does. */
  void node(int number, Style style, String doing) {
    nodes.put(number, new Doing(style, doing));
  }

  /** Shows what a node reports. */
  void hear(int number, Report report) {
    switch (report.kind()) {
      case READY, DONE, DISMISSED -> node(number, Style.FAINT, "idle");
      case BEGAN, SENT -> node(number, Style.GREEN, "sending");
      case SENDING -> node(number, Style.GREEN, "sending to " + report.detail());
      case REFUSED -> node(number, Style.RED, "refused");
      case LOST -> node(number, Style.YELLOW, "has lost the tick");
      case FAILED, GONE -> node(number, Style.RED, "dead");
    }
  }

  /** Shows what has arrived. */
  void phones(List<Message> messages) {
    phones.clear();
    Act.CUSTOMERS.forEach(customer -> phones.put(customer, 0));
    messages.forEach(message -> phones.merge(message.customer(), 1, Integer::sum));
  }

  /** Returns the lines, none longer than 79 columns. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add("");
    StringBuilder row = new StringBuilder();
    int column = 0;
    for (Map.Entry<Integer, Doing> node : nodes.entrySet()) {
      String cell = "%-8s%-24s".formatted("node " + node.getKey(), node.getValue().text());
      row.append("  ")
          .append(screen.styled(node.getValue().style(), cell))
          .append(" ".repeat(Math.max(1, CELL - cell.length())));
      column++;
      if (column % 2 == 0 || column == nodes.size()) {
        lines.add(row.toString().stripTrailing());
        row.setLength(0);
      }
    }
    StringBuilder arrived = new StringBuilder("  phones");
    phones.forEach((customer, count) -> arrived.append("  " + customer + " " + count));
    lines.add(screen.styled(Style.CYAN, arrived.toString()));
    int full = (int) Math.round(timing.part() * BAR);
    lines.add(
        "  "
            + "█".repeat(full)
            + "░".repeat(BAR - full)
            + "  about "
            + timing.left().toSeconds()
            + " s left");
    return lines;
  }
}
