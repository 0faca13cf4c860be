package dev.pawl.jdbc;

import dev.pawl.jdbc.RowTable.NamedRow;
import dev.pawl.machine.LockMachine;
import dev.pawl.machine.LockState;
import dev.pawl.machine.Step;
import dev.pawl.spi.Command;
import dev.pawl.spi.RenewReply;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The renewals of a node: one statement reads the rows, one transaction writes those with a single
 * holder and no queue. Nobody but their holder writes such rows in a batch, so two batches never
 * wait for each other. The others are renewed one by one.
 */
final class Renewals {

  private final LeaseRows rows;

  Renewals(LeaseRows rows) {
    this.rows = rows;
  }

  List<RenewReply> renew(List<Command.Renew> commands) {
    if (commands.size() == 1) {
      return List.of(rows.renewOne(commands.get(0)));
    }
    Renewal[] renewals = new Renewal[commands.size()];
    Arrays.setAll(renewals, i -> new Renewal(commands.get(i)));
    renewTogether(Arrays.asList(renewals));
    List<RenewReply> replies = new ArrayList<>(renewals.length);
    for (Renewal renewal : renewals) {
      RenewReply reply = renewal.reply;
      replies.add(reply != null ? reply : rows.renewOne(renewal.command));
    }
    return replies;
  }

  private void renewTogether(List<Renewal> renewals) {
    Map<String, Renewal> byName = new TreeMap<>(Bytes.ORDER);
    // Of several claims on one name, the first; the others follow one by one.
    renewals.forEach(renewal -> byName.putIfAbsent(renewal.command.name(), renewal));
    Map<String, Row> found =
        rows.connections.read(
            "renew", c -> rows.protocol.rows.readAll(c, new ArrayList<>(byName.keySet())));
    List<Renewal> batch = new ArrayList<>();
    List<NamedRow> read = new ArrayList<>();
    List<LockState> states = new ArrayList<>();
    byName.forEach(
        (name, renewal) -> {
          Row row = found.get(name);
          if (row == null) {
            renewal.reply = new RenewReply.Gone();
            rows.signals.onSettled(renewal.command.claim());
          } else if (isHeldAlone(row.state(), renewal.command)) {
            Step<RenewReply> step =
                LockMachine.renew(row.state(), renewal.command, row.nowMicros());
            renewal.decided = step.reply();
            batch.add(renewal);
            read.add(new NamedRow(name, row));
            states.add(step.state());
          }
        });
    if (batch.isEmpty()) {
      return;
    }
    boolean[] written =
        rows.connections.write("renew", c -> rows.protocol.rows.updateAll(c, read, states));
    for (int i = 0; i < written.length; i++) {
      if (written[i]) {
        batch.get(i).reply = batch.get(i).decided;
        rows.signals.onSettled(batch.get(i).command.claim());
      }
    }
  }

  private static boolean isHeldAlone(LockState state, Command.Renew command) {
    return Row.isSimple(state)
        && state.holders().size() == 1
        && state.holders().get(0).claim().equals(command.claim());
  }

  /** One command of the batch and what came of it so far. */
  private static final class Renewal {
    final Command.Renew command;
    @Nullable RenewReply decided;
    @Nullable RenewReply reply;

    Renewal(Command.Renew command) {
      this.command = command;
    }
  }
}
