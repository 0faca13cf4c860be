package dev.pawl.cli.demo;

import dev.pawl.cli.demo.Board.Tone;
import dev.pawl.cli.shell.Durations;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The four acts. */
final class Story {

  /** The name of the job, and of the lock that keeps a second demo off the same store. */
  static final String NAME = "pawl-demo";

  /** How many messages the runner may send before something happens to it. */
  private static final int SENT_BEFORE = 2;

  private static final int MOST_TAKES = 3;

  private final Director director;
  private final Outbox outbox;
  private final Board board;
  private final Timing timing;
  private final int nodes;
  private final boolean unlocked;

  /**
   * Makes one.
   *
   * @param unlocked whether the second act goes without the lock too
   */
  Story(Director director, Outbox outbox, Board board, Timing timing, int nodes, boolean unlocked) {
    this.director = director;
    this.outbox = outbox;
    this.board = board;
    this.timing = timing;
    this.nodes = nodes;
    this.unlocked = unlocked;
  }

  /** Plays it. */
  void play(String where) throws InterruptedException, SQLException {
    board.tell(
        Tone.HEADLINE,
        nodes + " nodes are starting, each a process of its own; the locks are in " + where + ".");
    for (int number = 1; number <= nodes; number++) {
      director.start(number);
    }
    director.awaitReady();
    board.tell(
        Tone.PLAIN,
        "they are ready: "
            + director.all().stream()
                .map(node -> "%s is %d".formatted(Director.name(node), node.pid()))
                .collect(Collectors.joining(", ")));
    noLock();
    withPawl();
    killed();
    stalled();
  }

  private void noLock() throws InterruptedException, SQLException {
    begin(Act.NO_LOCK, "No lock. Every node runs the reminder job, as cron does on every server.");
    for (int i = 1; i <= Act.NO_LOCK.ticks(); i++) {
      long tick = director.remind(Act.NO_LOCK, false);
      director.awaitEnd();
      tellCount(i, tick, Tone.HARM);
    }
  }

  private void withPawl() throws InterruptedException, SQLException {
    begin(
        Act.WITH_PAWL,
        unlocked
            ? "The same, and again no lock, as --unlocked wants it."
            : "The same, as pawl.job(\"" + NAME + "\").runOrStandBy(tick, …).");
    for (int i = 1; i <= Act.WITH_PAWL.ticks(); i++) {
      long tick = director.remind(Act.WITH_PAWL, !unlocked);
      if (!unlocked) {
        director.await(() -> runners().findAny().isPresent());
        runners().findFirst().ifPresent(this::tellBegan);
      }
      director.awaitEnd();
      tellCount(i, tick, unlocked ? Tone.HARM : Tone.GOOD);
    }
  }

  private void killed() throws InterruptedException, SQLException {
    begin(Act.KILLED, "The node that is just sending is killed.");
    Optional<NodeProcess> found = runnerInTheMiddle(Act.KILLED);
    if (found.isEmpty()) {
      return;
    }
    NodeProcess victim = found.get();
    director.kill(victim);
    long at = System.nanoTime();
    board.tell(Tone.HARM, "kill -KILL " + victim.pid() + ": it is dead, in the middle of the tick");
    director.start(victim.number());
    takenOver(victim, at);
    director.awaitReady();
  }

  private void stalled() throws InterruptedException, SQLException {
    begin(Act.STALLED, "The node that is just sending stalls for longer than its lease.");
    Optional<NodeProcess> found = runnerInTheMiddle(Act.STALLED);
    if (found.isEmpty()) {
      return;
    }
    NodeProcess sleeper = found.get();
    director.stall(sleeper);
    long at = System.nanoTime();
    board.tell(
        Tone.HARM,
        "kill -STOP " + sleeper.pid() + ": it stands still, and believes it has the tick");
    takenOver(sleeper, at);
    board.tell(
        Tone.HARM,
        "kill -CONT " + sleeper.pid() + ": " + Director.name(sleeper) + " wakes up and goes on");
    director.wake(sleeper);
    if (director.await(() -> director.of(sleeper).refused().isPresent())) {
      board.tell(
          Tone.GOOD,
          "the outbox refuses its message to %s, who has got one: token %s is stale"
              .formatted(
                  director.of(sleeper).refused().orElse(""),
                  director.of(sleeper).token().orElse("")));
    }
    if (director.await(() -> !director.of(sleeper).isBusy())) {
      board.tell(Tone.GOOD, Director.name(sleeper) + " is told that it has lost the tick");
    }
  }

  private void begin(Act act, String headline) {
    timing.begin(act);
    board.tell(Tone.HEADLINE, "Act " + act.number() + ". " + headline);
  }

  /**
   * Has the job run until a few messages are sent, and returns the node that sends them and holds
   * the job. On a machine so busy that the two are not the same, with another tick.
   */
  private Optional<NodeProcess> runnerInTheMiddle(Act act) throws InterruptedException {
    for (int take = 1; take <= MOST_TAKES; take++) {
      director.remind(act, true);
      director.await(() -> sender().isPresent());
      Optional<NodeProcess> runner = director.runner();
      if (runner.isPresent() && runner.equals(sender())) {
        tellBegan(runner.get());
        tellSent(runner.get());
        return runner;
      }
      board.tell(Tone.PLAIN, "this machine is too slow for that; again");
      director.awaitEnd();
    }
    return Optional.empty();
  }

  private Optional<NodeProcess> sender() {
    return runners()
        .filter(node -> director.of(node).sent().size() >= SENT_BEFORE)
        .filter(node -> director.of(node).isBusy())
        .findFirst();
  }

  /** Waits until another node has finished the tick. */
  private void takenOver(NodeProcess before, long at) throws InterruptedException {
    director.await(() -> successor(before).isPresent());
    Duration after = Duration.ofNanos(System.nanoTime() - at);
    Optional<NodeProcess> next = successor(before);
    if (next.isEmpty()) {
      board.tell(Tone.HARM, "nobody has taken over after " + Durations.format(after));
      return;
    }
    board.tell(
        Tone.GOOD,
        "%s takes over after %s, with token %s"
            .formatted(
                Director.name(next.get()),
                Durations.format(after),
                director.of(next.get()).token().orElse("")));
    director.awaitEnd(before);
    tellSent(next.get());
  }

  private Optional<NodeProcess> successor(NodeProcess before) {
    return runners().filter(node -> !node.equals(before)).findFirst();
  }

  private Stream<NodeProcess> runners() {
    return director.all().stream().filter(node -> director.of(node).token().isPresent());
  }

  private void tellBegan(NodeProcess node) {
    board.tell(
        Tone.PLAIN,
        "%s runs the tick with token %s; %d stand by"
            .formatted(Director.name(node), director.of(node).token().orElse(""), nodes - 1));
  }

  private void tellSent(NodeProcess node) {
    board.tell(
        Tone.PLAIN,
        Director.name(node) + " has sent to " + String.join(", ", director.of(node).sent()));
  }

  private void tellCount(int number, long tick, Tone tone) throws SQLException {
    long count = outbox.sent().stream().filter(message -> message.tick() == tick).count();
    board.tell(
        tone,
        "tick %d: %d messages for %d customers".formatted(number, count, Act.CUSTOMERS.size()));
  }
}
