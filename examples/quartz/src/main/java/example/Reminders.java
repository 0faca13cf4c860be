package example;

import dev.pawl.quartz.QuartzRun;
import org.quartz.Job;
import org.quartz.JobExecutionContext;
import org.quartz.JobExecutionException;

/** Sends every customer a text message: an ordinary Quartz job, which knows nothing of a cluster. */
public class Reminders implements Job {

  @Override
  public void execute(JobExecutionContext context) throws JobExecutionException {
    QuartzRun run = QuartzRun.of(context).orElseThrow();
    System.out.println("sends " + run.tick().orElseThrow());
    try {
      Thread.sleep(context.getMergedJobDataMap().getLong("millis")); // There are many customers.
    } catch (InterruptedException e) {
      throw new JobExecutionException(e);
    }
    // What is written with the token is refused if another node has taken over meanwhile.
    System.out.println("sent " + run.tick().orElseThrow() + " with token " + run.token());
  }
}
