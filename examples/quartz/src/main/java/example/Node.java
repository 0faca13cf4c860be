package example;

import org.quartz.CronScheduleBuilder;
import org.quartz.JobBuilder;
import org.quartz.Scheduler;
import org.quartz.TriggerBuilder;
import org.quartz.impl.StdSchedulerFactory;

/** One server of the application: schedules the job every so many seconds, as all the others do. */
public class Node {

  private Node() {}

  public static void main(String[] args) throws Exception {
    Scheduler scheduler = StdSchedulerFactory.getDefaultScheduler(); // By quartz.properties.
    scheduler.scheduleJob(
        JobBuilder.newJob(Reminders.class)
            .withIdentity("reminders")
            .usingJobData("millis", Long.valueOf(args[1]))
            .build(),
        TriggerBuilder.newTrigger()
            .withIdentity("every " + args[0] + " seconds")
            .withSchedule(CronScheduleBuilder.cronSchedule("0/" + args[0] + " * * * * ?"))
            .build());
    scheduler.start();
    System.out.println("ready");
    while (System.in.read() >= 0) {
      // Until whoever started this process closes it.
    }
    scheduler.shutdown(true);
  }
}
