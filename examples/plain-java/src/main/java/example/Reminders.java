package example;

import dev.pawl.Job;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * One of eight servers. Each has a scheduler that fires once a second; in the whole cluster the
 * reminder is sent once a second.
 */
public class Reminders {

  private static final Duration PERIOD = Duration.ofSeconds(1);

  public static void main(String[] args) {
    String store = args[0]; // sqlite:locks.db; jdbc:postgresql://… or redis://… is the same program.
    Path sent = Path.of(args[1]);
    Pawl pawl = Pawl.connect(store);
    // A dead server's work is taken over after this lease.
    Job job = pawl.job("reminder", LockOptions.DEFAULT.withLease(Duration.ofSeconds(5)));

    ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
    scheduler.scheduleAtFixedRate(
        () -> {
          try {
            job.run(Job.every(PERIOD), run -> send(sent, run));
          } catch (RuntimeException e) { // Else the scheduler would never call it again.
            System.err.println("not run: " + e.getMessage());
          }
        },
        0,
        PERIOD.toMillis(),
        TimeUnit.MILLISECONDS);

    // At a normal end (SIGTERM) nothing is left to wait for: what is held is given back.
    Runtime.getRuntime().addShutdownHook(new Thread(pawl::close));
  }

  /** Stands for the text message: a line in a file that all servers share. */
  private static void send(Path sent, Job.Run run) throws Exception {
    String line = run.tick() + " by " + ProcessHandle.current().pid() + " token " + run.token();
    Files.writeString(sent, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }
}
