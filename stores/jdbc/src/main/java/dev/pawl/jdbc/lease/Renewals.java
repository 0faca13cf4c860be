package dev.pawl.jdbc.lease;

import dev.pawl.jdbc.dialect.LeaseRecord;
import dev.pawl.jdbc.sql.Utf8;
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
 * The renewals of a node, by name: one statement reads the records, one transaction writes those
 * with a single holder and no queue. Nobody but their holder writes such records in a batch, so two
 * batches never wait for each other. Of any other name all claims are renewed together, by one
 * write.
 */
final class Renewals {

  private final LeaseRecords records;

  Renewals(LeaseRecords records) {
    this.records = records;
  }

  List<RenewReply> renew(List<Command.Renew> commands) {
    Map<String, OfName> byName = new TreeMap<>(Utf8.ORDER);
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
        each.replies = records.renew(each.name, each.commands, each.record);
      }
      Iterator<RenewReply> next = each.replies.iterator();
      each.places.forEach(place -> replies[place] = next.next());
    }
    return Arrays.asList(replies);
  }

  private void renewTogether(Iterable<OfName> all) {
    List<String> names = new ArrayList<>();
    all.forEach(each -> names.add(each.name));
    Map<String, LeaseRecord> found =
        records.connections.read("renew", c -> records.table.readAll(c, names));
    List<OfName> batch = new ArrayList<>();
    List<LeaseTable.Named> read = new ArrayList<>();
    List<LockState> states = new ArrayList<>();
    List<RenewReply> decided = new ArrayList<>();
    for (OfName each : all) {
      LeaseRecord record = found.get(each.name);
      each.record = record;
      if (record == null) {
        each.replies = Collections.nCopies(each.commands.size(), new RenewReply.Gone());
        each.commands.forEach(command -> records.signals.onSettled(command.claim()));
      } else if (isHeldAlone(record.state(), each.commands)) {
        Step<RenewReply> step =
            LockMachine.renew(record.state(), each.commands.get(0), record.nowMicros());
        batch.add(each);
        read.add(new LeaseTable.Named(each.name, record));
        states.add(step.state());
        decided.add(step.reply());
      }
    }
    if (batch.isEmpty()) {
      return;
    }
    boolean[] written =
        records.connections.write("renew", c -> records.table.updateAll(c, read, states));
    for (int i = 0; i < written.length; i++) {
      OfName each = batch.get(i);
      each.record = null; // Whether it was written or not, it is another one now.
      if (written[i]) {
        each.replies = List.of(decided.get(i));
        records.signals.onSettled(each.commands.get(0).claim());
      }
    }
  }

  private static boolean isHeldAlone(LockState state, List<Command.Renew> commands) {
    return commands.size() == 1
        && LeaseRecord.isSimple(state)
        && state.holders().size() == 1
        && state.holders().get(0).claim().equals(commands.get(0).claim());
  }

  /** The commands for one name, their places among all, and what came of them so far. */
  private static final class OfName {
    final String name;
    final List<Command.Renew> commands = new ArrayList<>(1);
    final List<Integer> places = new ArrayList<>(1);
    @Nullable LeaseRecord record;
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
