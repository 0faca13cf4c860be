package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.pawl.jdbc.connect.Connections;
import dev.pawl.jdbc.connect.UrlDataSource;
import dev.pawl.jdbc.lease.LeaseRecords;
import dev.pawl.jdbc.lease.LeaseTable;
import dev.pawl.jdbc.schema.Schema;
import dev.pawl.jdbc.sql.Sql;
import dev.pawl.jdbc.wake.Signals;
import dev.pawl.machine.LockMachine;
import dev.pawl.machine.LockState;
import dev.pawl.machine.Step;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.Grant;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.Signal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The same random commands to the lease records and to the machine, with the database's clock in a
 * table, so that both see the same time: every reply, every signal and every state is the same.
 */
class DifferentialTest {

  private static final int COMMANDS = Integer.getInteger("pawl.jdbc.commands", 1_500);
  private static final long SECOND = 1_000_000;

  @TempDir static Path directory;

  @ParameterizedTest
  @EnumSource
  void everyReplyAndEveryStateIsTheMachines(SqlDatabase database) throws Exception {
    long seed = Long.getLong("pawl.jdbc.seed", 1);
    JdbcOptions options = Databases.newTables();
    UrlDataSource source = Databases.source(Databases.url(database, directory), database, options);
    HikariConfig config = new HikariConfig();
    config.setDataSource(source);
    config.setMaximumPoolSize(1);
    try (HikariDataSource pool = new HikariDataSource(config);
        Connections connections = Connections.of(source, database.dialect(), pool)) {
      new Schema(connections, database.dialect(), options.tables(), true).check();
      new World(database, options, connections, seed).run();
    } catch (AssertionError e) {
      throw new AssertionError("with -Dpawl.jdbc.seed=" + seed + ": " + e.getMessage(), e);
    }
  }

  /** The rows, the machine's states beside them, and a clock for both. */
  private static final class World {
    private final SqlDatabase database;
    private final Connections connections;
    private final LeaseTable table;
    private final LeaseRecords rows;
    private final String clock;
    private final Random random;
    private final Map<String, LockState> states = new HashMap<>();
    private final List<Signal> heard = new ArrayList<>();
    private final List<Signal> expected = new ArrayList<>();
    private long now = 1_700_000_000 * SECOND;
    private long claims;

    World(SqlDatabase database, JdbcOptions options, Connections connections, long seed) {
      this.database = database;
      this.connections = connections;
      this.clock = options.tables().start() + "clock";
      this.table =
          new LeaseTable(
              database.dialect().withClock("(SELECT x.us FROM " + clock + " x)"),
              options.tables().leases());
      this.random = new Random(seed);
      Signals signals = new Signals();
      for (String node : List.of("a", "b", "c")) {
        signals.subscribe(node, heard::add);
      }
      this.rows = new LeaseRecords(connections, table, signals, options.retention());
      sql("CREATE TABLE " + clock + " (us BIGINT)");
      sql("INSERT INTO " + clock + " VALUES (" + now + ")");
    }

    private int sql(String statement) {
      return connections.write(
          "test",
          c -> {
            Sql.execute(c, statement);
            return 0;
          });
    }

    void run() {
      for (int i = 0; i < COMMANDS; i++) {
        // Now and then no time passes at all, which a coarse clock shows often.
        if (random.nextInt(4) > 0) {
          now += random.nextInt(5) == 0 ? random.nextLong(4 * SECOND) : random.nextLong(50_000);
          sql("UPDATE " + clock + " SET us = " + now);
        }
        String name = "n" + random.nextInt(3);
        step(name);
        LockState real = connections.read("test", c -> table.read(c, name)).state();
        assertThat(real).as("state after command %d", i).isEqualTo(state(name));
        assertThat(heard).as("signals after command %d", i).isEqualTo(expected);
      }
    }

    private LockState state(String name) {
      return states.getOrDefault(name, LockState.EMPTY);
    }

    private void step(String name) {
      switch (random.nextInt(11)) {
        case 0, 1, 2, 3 -> {
          Command.Acquire command = acquire(name);
          same(rows.acquire(command), name, LockMachine.acquire(state(name), command, now));
        }
        case 4, 5 -> {
          Command.Release command = release(name);
          same(rows.release(command), name, LockMachine.release(state(name), command, now));
        }
        case 6 -> {
          Command.Release release = release(name);
          Command.Acquire next = acquire(name, freshClaim());
          while (next.claim().equals(release.claim())) {
            next = acquire(name, freshClaim());
          }
          Command.Yield command = new Command.Yield(release, next);
          same(rows.yieldGrant(command), name, LockMachine.yieldGrant(state(name), command, now));
        }
        case 7 -> {
          Command.Cancel command = new Command.Cancel(name, claim(), random.nextInt(4) == 0);
          same(rows.cancel(command), name, LockMachine.cancel(state(name), command, now));
        }
        case 8 -> {
          Command.Evict command =
              new Command.Evict(name, state(name).lastToken() - random.nextInt(4));
          same(rows.evict(command), name, LockMachine.evict(state(name), command, now));
        }
        case 9 -> {
          Command.Reset command = reset(name);
          same(rows.reset(command), name, LockMachine.reset(state(name), command, now));
        }
        default -> renew();
      }
    }

    private void renew() {
      List<Command.Renew> commands = new ArrayList<>();
      List<RenewReply> replies = new ArrayList<>();
      for (int i = 1 + random.nextInt(6); i > 0; i--) {
        commands.add(
            new Command.Renew("n" + random.nextInt(3), claim(), permits(), lease(), "actor" + i));
      }
      for (Command.Renew command : commands) {
        Step<RenewReply> step = LockMachine.renew(state(command.name()), command, now);
        states.put(command.name(), step.state());
        replies.add(step.reply());
        expected.addAll(step.signals());
      }
      assertThat(rows.renew(commands)).isEqualTo(replies);
    }

    private void same(Object reply, String name, Step<?> step) {
      states.put(name, step.state());
      expected.addAll(step.signals());
      assertThat(known(reply)).isEqualTo(known(step.reply()));
    }

    /** What MySQL cannot tell of a fast grant is its clock, for which it gives the token. */
    private Object known(Object reply) {
      if (database == SqlDatabase.MYSQL && reply instanceof AcquireReply.Granted granted) {
        Grant grant = granted.grant();
        return List.of(
            grant.claim(), grant.token(), grant.span(), grant.untilMicros() - grant.nowMicros());
      }
      return reply;
    }

    private Command.Acquire acquire(String name) {
      return acquire(name, random.nextInt(3) == 0 ? claim() : freshClaim());
    }

    private ClaimId freshClaim() {
      return new ClaimId(node(), ++claims);
    }

    private Command.Acquire acquire(String name, ClaimId claim) {
      int permits = permits();
      return new Command.Acquire(
          name,
          claim,
          permits,
          permits == Command.EVERYTHING || random.nextBoolean()
              ? Command.EVERYTHING
              : permits + random.nextInt(3),
          lease(),
          1 + random.nextInt(5),
          random.nextInt(4) == 0 ? OptionalLong.of(random.nextInt(20)) : OptionalLong.empty(),
          random.nextBoolean(),
          random.nextInt(3) > 0,
          "läbel'",
          "actor\\\u0000");
    }

    private Command.Release release(String name) {
      LockState state = state(name);
      ClaimId claim =
          state.holders().isEmpty() || random.nextInt(4) == 0
              ? claim()
              : state.holders().get(random.nextInt(state.holders().size())).claim();
      return new Command.Release(
          name,
          claim,
          state.lastToken() - random.nextInt(4),
          random.nextInt(4) == 0 ? OptionalLong.of(random.nextInt(20)) : OptionalLong.empty(),
          Command.MIN_KEEP_MICROS * (1 + random.nextInt(100)),
          random.nextInt(6) == 0);
    }

    private Command.Reset reset(String name) {
      long seen = random.nextBoolean() ? state(name).mark().orElse(5) : random.nextInt(20);
      return new Command.Reset(
          name,
          seen,
          seen == 0 || random.nextBoolean()
              ? OptionalLong.empty()
              : OptionalLong.of(random.nextLong(seen)));
    }

    private ClaimId claim() {
      return new ClaimId(node(), Math.max(1, claims - random.nextInt(8)));
    }

    private String node() {
      return List.of("a", "b", "c").get(random.nextInt(3));
    }

    private int permits() {
      return random.nextBoolean() ? Command.EVERYTHING : 1 + random.nextInt(3);
    }

    private long lease() {
      return 1 + random.nextLong(5 * SECOND);
    }
  }
}
