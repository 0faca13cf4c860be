package dev.pawl.quartz;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import org.quartz.CronScheduleBuilder;
import org.quartz.DisallowConcurrentExecution;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobExecutionContext;
import org.quartz.Scheduler;
import org.quartz.TriggerBuilder;
import org.quartz.impl.StdSchedulerFactory;

/** A process of its own with a scheduler, and what it prints: a line for each run. */
final class QuartzProcess implements AutoCloseable {

  private final Process process;
  private final Thread reader;

  /** {@code begin TICK RECOVERING} and {@code end TICK}. */
  final List<String> lines = new CopyOnWriteArrayList<>();

  QuartzProcess(
      String store, String cron, long millis, long lease, Map<String, String> environment) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx96m"));
    command.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=error");
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(Main.class.getName(), store, cron, "" + millis, "" + lease));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().putAll(environment);
    builder.redirectError(ProcessBuilder.Redirect.INHERIT);
    try {
      process = builder.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    reader = new Thread(this::read);
    reader.setDaemon(true);
    reader.start();
  }

  private void read() {
    try (BufferedReader out = process.inputReader()) {
      String line;
      while ((line = out.readLine()) != null) {
        lines.add(line);
      }
    } catch (IOException e) {
      // It was killed.
    }
  }

  List<String> lines(String word) {
    return lines.stream()
        .filter(line -> line.startsWith(word + " "))
        .map(line -> line.split(" ", -1)[1])
        .toList();
  }

  /** Returns what its clock was when it was ready, in half minutes. */
  String clock() {
    return lines("ready").get(0);
  }

  void awaitReady() {
    Eventually.until("ready", () -> !lines("ready").isEmpty() || !process.isAlive());
  }

  /** SIGKILL. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
    reader.join();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }

  /** The program of the process. */
  static final class Main {

    private Main() {}

    public static void main(String[] args) throws Exception {
      Properties properties = new Properties();
      properties.setProperty("org.quartz.scheduler.instanceName", "processes");
      properties.setProperty("org.quartz.threadPool.threadCount", "2");
      properties.setProperty("org.quartz.jobStore.class", PawlJobStore.class.getName());
      properties.setProperty("org.quartz.jobStore.store", args[0]);
      properties.setProperty("org.quartz.jobStore.lease", args[3]);
      Scheduler scheduler = new StdSchedulerFactory(properties).getScheduler();
      scheduler.scheduleJob(
          JobBuilder.newJob(Send.class)
              .withIdentity("send")
              .usingJobData("millis", Long.valueOf(args[2]))
              .build(),
          TriggerBuilder.newTrigger()
              .withIdentity("timer")
              .withSchedule(CronScheduleBuilder.cronSchedule(args[1]))
              .build());
      scheduler.start();
      say("ready " + Instant.now().getEpochSecond() / 30);
      while (System.in.read() >= 0) {
        // Until whoever started it has gone.
      }
      System.exit(0);
    }
  }

  /** Says that it runs. */
  @DisallowConcurrentExecution
  public static class Send implements Job {
    @Override
    public void execute(JobExecutionContext context) {
      QuartzRun run = QuartzRun.of(context).orElseThrow();
      say("begin " + run.tick().orElseThrow() + " " + context.isRecovering());
      java.util.concurrent.locks.LockSupport.parkNanos(
          context.getMergedJobDataMap().getLong("millis") * 1_000_000);
      say("end " + run.tick().orElseThrow() + " " + run.token());
    }
  }

  private static void say(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
