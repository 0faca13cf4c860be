package dev.pawl.cli.demo;

import dev.pawl.cli.demo.Board.Tone;
import dev.pawl.cli.shell.Durations;
import dev.pawl.spi.PairStatus;
import dev.pawl.spi.PairStatus.Mode;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The acts in which the primary is killed, and comes back. */
final class DegradeStory {

  private static final int SENT_BEFORE = 2;

  private final Director director;
  private final Outbox outbox;
  private final Board board;
  private final Timing timing;
  private final PrimaryServer primary;
  private final List<Long> tokens = new ArrayList<>();

  DegradeStory(
      Director director, Outbox outbox, Board board, Timing timing, PrimaryServer primary) {
    this.director = director;
    this.outbox = outbox;
    this.board = board;
    this.timing = timing;
    this.primary = primary;
  }

  /** Plays it; returns the tokens under which the job ran, in their order. */
  List<Long> play(int nodes) throws InterruptedException, SQLException {
    board.tell(
        Tone.HEADLINE,
        nodes
            + " nodes are starting; the locks are in "
            + primary.name()
            + " (process "
            + primary.pid()
            + "), and a SQLite file is the backup.");
    for (int number = 1; number <= nodes; number++) {
      director.start(number);
    }
    director.awaitReady();
    director.outlive(primary.pid());
    calm(Act.ON_PRIMARY, "The locks are in " + primary.name() + ".");
    killed();
    calm(Act.ON_BACKUP, "The locks are in the SQLite file; " + primary.name() + " is still dead.");
    back();
    calm(Act.ON_PRIMARY_AGAIN, "The locks are in " + primary.name() + " again.");
    return List.copyOf(tokens);
  }

  private void calm(Act act, String headline) throws InterruptedException, SQLException {
    begin(act, headline);
    long tick = director.remind(act, true);
    end(tick);
  }

  private void killed() throws InterruptedException, SQLException {
    begin(Act.PRIMARY_KILLED, primary.name() + " is killed while a node is sending.");
    long tick = director.remind(Act.PRIMARY_KILLED, true);
    awaitSender();
    primary.kill();
    long at = System.nanoTime();
    board.tell(
        Tone.HARM, "kill -KILL " + primary.pid() + ": the primary is dead, with all its locks");
    awaitMode(Mode.BACKUP, at);
    end(tick);
  }

  private void back() throws InterruptedException, SQLException {
    begin(Act.PRIMARY_BACK, primary.name() + " is back, empty, while a node is sending.");
    long tick = director.remind(Act.PRIMARY_BACK, true);
    awaitSender();
    primary.restart();
    director.outlive(primary.pid());
    long at = System.nanoTime();
    board.tell(Tone.PLAIN, "process " + primary.pid() + ": the primary answers again");
    awaitMode(Mode.PRIMARY, at);
    end(tick);
  }

  private void begin(Act act, String headline) {
    timing.begin(act);
    board.tell(Tone.HEADLINE, "Act " + act.number() + ". " + headline);
  }

  /** Waits until a node is in the middle of the tick. */
  private void awaitSender() throws InterruptedException {
    director.await(() -> sender().isPresent());
    sender()
        .ifPresent(
            node ->
                board.tell(
                    Tone.PLAIN,
                    "%s has the tick with token %s, and has sent to %s"
                        .formatted(
                            Director.name(node),
                            director.of(node).token().orElse(""),
                            String.join(", ", director.of(node).sent()))));
  }

  private Optional<NodeProcess> sender() {
    return director.all().stream()
        .filter(node -> director.of(node).token().isPresent())
        .filter(node -> director.of(node).sent().size() >= SENT_BEFORE)
        .findFirst();
  }

  private void awaitMode(Mode mode, long since) throws InterruptedException {
    boolean reached = director.await(() -> director.status().mode() == mode);
    PairStatus status = director.status();
    Duration after = Duration.ofNanos(System.nanoTime() - since);
    board.tell(
        reached ? Tone.GOOD : Tone.HARM,
        "the mode is %s after %s: %s"
            .formatted(
                status.mode().name().toLowerCase(Locale.ROOT),
                Durations.format(after),
                status.reason()));
  }

  private void end(long tick) throws InterruptedException, SQLException {
    director.awaitEnd();
    for (String token : director.tokens(tick)) {
      tokens.add(Long.parseLong(token));
    }
    long count = outbox.sent().stream().filter(message -> message.tick() == tick).count();
    board.tell(
        Tone.GOOD,
        "%d messages for %d customers, under token %s"
            .formatted(count, Act.CUSTOMERS.size(), String.join(", then ", director.tokens(tick))));
  }
}
