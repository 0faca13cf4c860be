package example;

import dev.pawl.Job;
import dev.pawl.spring.CurrentRun;
import dev.pawl.spring.OncePerTick;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** One of eight servers. The method is scheduled on each of them, and runs on one for each tick. */
@SpringBootApplication
@EnableScheduling
public class Reminders {

  @Value("${app.sent}")
  private Path sent;

  /** Stands for the text message: a line in a file that all servers share. */
  @Scheduled(cron = "* * * * * *") // every second, on every server
  @OncePerTick("reminder") // and once in the whole cluster
  public void send() throws IOException {
    Job.Run run = CurrentRun.get();
    String line = run.tick() + " by " + ProcessHandle.current().pid() + " token " + run.token();
    Files.writeString(sent, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  public static void main(String[] args) {
    SpringApplication.run(Reminders.class, args);
  }
}
