package dev.pawl.jdbc;

import dev.pawl.jdbc.RowTable.NamedRow;
import dev.pawl.machine.LockMachine;
import dev.pawl.machine.LockState;
import dev.pawl.machine.Step;
import dev.pawl.spi.Command;
import dev.pawl.spi.RenewReply;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The renewals of a node, by name: one statement reads the rows, one transaction writes those with
 * a single holder and no queue. Nobody but their holder writes such rows in a batch, so two batches
 * never wait for each other. Of any other name all claims are renewed together, by one write.
 */
final class Renewals {

  private final LeaseRows rows;

  Renewals(LeaseRows rows) {
    this.rows = rows;
  }

  List<RenewReply> renew(List<Command.Renew> commands) {
    Map<String, OfName> byName = new TreeMap<>(Bytes.ORDER);
    for (int i = 0; i < commands.size(); i++) {
      Command.Renew command = commands.get(i);
      byName.computeIfAbsent(command.name(), OfName::new).add(i, command);
    }
    if (byName.size() > 1) {
      renewTogether(byName.values());
    }
    RenewReply[] replies = new RenewReply[commands.size()];
    for (OfName each : byName.values()) {
      if (each.replies.isEmpty()) {
        each.replies = rows.renew(each.name, each.commands, each.row);
      }
      Iterator<RenewReply> next = each.replies.iterator();
      each.places.forEach(place -> replies[place] = next.next());
    }
    return Arrays.asList(replies);
  }

  private void renewTogether(Iterable<OfName> all) {
    List<String> names = new ArrayList<>();
    all.forEach(each -> names.add(each.name));
    Map<String, Row> found =
        rows.connections.read("renew", c -> rows.protocol.rows.readAll(c, names));
    List<OfName> batch = new ArrayList<>();
    List<NamedRow> read = new ArrayList<>();
    List<LockState> states = new ArrayList<>();
    List<RenewReply> decided = new ArrayList<>();
    for (OfName each : all) {
      Row row = found.get(each.name);
      each.row = row;
      if (row == null) {
        each.replies = Collections.nCopies(each.commands.size(), new RenewReply.Gone());
        each.commands.forEach(command -> rows.signals.onSettled(command.claim()));
      } else if (isHeldAlone(row.state(), each.commands)) {
        Step<RenewReply> step =
            LockMachine.renew(row.state(), each.commands.get(0), row.nowMicros());
        batch.add(each);
        read.add(new NamedRow(each.name, row));
        states.add(step.state());
        decided.add(step.reply());
      }
    }
    if (batch.isEmpty()) {
      return;
    }
    boolean[] written =
        rows.connections.write("renew", c -> rows.protocol.rows.updateAll(c, read, states));
    for (int i = 0; i < written.length; i++) {
      OfName each = batch.get(i);
      each.row = null; // Whether it was written or not, it is another one now.
      if (written[i]) {
        each.replies = List.of(decided.get(i));
        rows.signals.onSettled(each.commands.get(0).claim());
      }
    }
  }

  private static boolean isHeldAlone(LockState state, List<Command.Renew> commands) {
    return commands.size() == 1
        && Row.isSimple(state)
        && state.holders().size() == 1
        && state.holders().get(0).claim().equals(commands.get(0).claim());
  }

  /** The commands for one name, their places among all, and what came of them so far. */
  private static final class OfName {
    final String name;
    final List<Command.Renew> commands = new ArrayList<>(1);
    final List<Integer> places = new ArrayList<>(1);
    @Nullable Row row;
    List<RenewReply> replies = List.of();

    OfName(String name) {
      this.name = name;
    }

    void add(int place, Command.Renew command) {
      places.add(place);
      commands.add(command);
    }
  }
}
