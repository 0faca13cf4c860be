package dev.pawl.cli.demo;

import dev.pawl.cli.shell.Screen;
import dev.pawl.cli.shell.Table;
import dev.pawl.console.json.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** What should have been sent and what was, act by act. */
record Verdict(List<Row> rows) {

  /**
   * One line of it.
   *
   * @param note who has sent how much, or what is wrong
   */
  record Row(String what, long expected, long counted, boolean ok, String note) {}

  /**
   * Compares for the story of the nodes.
   *
   * @param ticks the ticks that were due in each act
   * @param sent what the outbox has
   * @param refused what the outbox did not take
   */
  static Verdict of(
      int nodes, Map<Act, List<Long>> ticks, List<Message> sent, List<Message> refused) {
    List<Row> rows = rows(Act.Tale.NODES, nodes, ticks, sent);
    long last =
        ticks.getOrDefault(Act.STALLED, List.of()).stream().mapToLong(t -> t).max().orElse(0);
    long stale = refused.stream().filter(message -> message.tick() == last).count();
    rows.add(new Row("  stale messages refused", 1, stale, stale == 1, ""));
    return new Verdict(rows);
  }

  /**
   * Compares for the story of the stores.
   *
   * @param tokens those under which the job ran, in their order
   */
  static Verdict of(Map<Act, List<Long>> ticks, List<Message> sent, List<Long> tokens) {
    List<Row> rows = rows(Act.Tale.STORES, 1, ticks, sent);
    long back = IntStream.range(1, tokens.size()).filter(i -> isBack(tokens, i)).count();
    rows.add(new Row("  tokens that went back", 0, back, back == 0, tokens.size() + " in all"));
    return new Verdict(rows);
  }

  private static boolean isBack(List<Long> tokens, int i) {
    return tokens.get(i) <= tokens.get(i - 1);
  }

  private static List<Row> rows(
      Act.Tale tale, int nodes, Map<Act, List<Long>> ticks, List<Message> sent) {
    List<Row> rows = new ArrayList<>();
    for (Act act : Act.of(tale)) {
      rows.add(
          row(
              act,
              act.copies(nodes),
              ticks.getOrDefault(act, List.of()),
              sent.stream().filter(message -> message.act() == act).toList()));
    }
    return rows;
  }

  private static Row row(Act act, int copies, List<Long> ticks, List<Message> sent) {
    int reminders = ticks.size() * Act.CUSTOMERS.size();
    // A total alone would take one message too many and one too few for right.
    boolean each =
        ticks.size() >= act.ticks()
            && ticks.stream()
                .allMatch(
                    tick ->
                        Act.CUSTOMERS.stream()
                            .allMatch(customer -> count(sent, tick, customer) == copies));
    Map<Integer, Long> senders =
        sent.stream()
            .collect(
                Collectors.groupingBy(Message::node, LinkedHashMap::new, Collectors.counting()));
    boolean takenOver = !act.isTakenOver() || senders.size() > 1;
    return new Row(
        "%d %s, %d reminders".formatted(act.number(), act.title(), reminders),
        (long) reminders * copies,
        sent.size(),
        each && takenOver && sent.size() == reminders * copies,
        takenOver ? note(senders) : "nobody took over");
  }

  private static long count(List<Message> sent, long tick, String customer) {
    return sent.stream()
        .filter(message -> message.tick() == tick && message.customer().equals(customer))
        .count();
  }

  private static String note(Map<Integer, Long> senders) {
    List<Long> counts = senders.values().stream().distinct().toList();
    if (senders.size() > 3 && counts.size() == 1) {
      return counts.get(0) + " by each of " + senders.size() + " nodes";
    }
    return senders.entrySet().stream()
        .map(sender -> sender.getValue() + " by node " + sender.getKey())
        .collect(Collectors.joining(", "));
  }

  boolean isOk() {
    return rows.stream().allMatch(Row::ok);
  }

  void print(Screen screen) {
    Table table = new Table("ACT", "EXPECTED", "COUNTED", "OK", "SENT BY");
    rows.forEach(
        row ->
            table.row(
                row.what, "" + row.expected, "" + row.counted, row.ok ? "yes" : "NO", row.note));
    table.print(screen);
  }

  String json() {
    return Json.of(
        Json.object(
            "ok",
            isOk(),
            "rows",
            rows.stream()
                .map(
                    row ->
                        Json.object(
                            "what", row.what,
                            "expected", row.expected,
                            "counted", row.counted,
                            "ok", row.ok,
                            "note", row.note))
                .toList()));
  }
}
