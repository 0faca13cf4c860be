package dev.pawl.spring;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CountDownLatch;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** One of the servers: sends the reminders, and writes down that it did. */
@EnableAutoConfiguration
@EnableScheduling
public class ClusterNode {

  @Value("${app.directory}")
  Path directory;

  @Scheduled(cron = "${app.cron}")
  @OncePerTick("sms-reminder")
  public void sendReminders() throws IOException, InterruptedException {
    write("begin");
    if (Files.deleteIfExists(directory.resolve("hang"))) {
      new CountDownLatch(1).await();
    }
    write("end");
  }

  private void write(String what) throws IOException {
    String line = what + " " + CurrentRun.get().tick() + " " + ProcessHandle.current().pid() + "\n";
    Files.writeString(
        directory.resolve("runs"), line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  public static void main(String[] args) {
    SpringApplication.run(ClusterNode.class, args);
    System.out.println("started");
  }
}
