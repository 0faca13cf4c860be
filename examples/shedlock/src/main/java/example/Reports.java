package example;

import dev.pawl.Pawl;
import dev.pawl.shedlock.PawlLockProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** A Spring application with ShedLock's annotations; the one bean that changed is the provider. */
@Configuration
@EnableScheduling
@EnableSchedulerLock(defaultLockAtMostFor = "6s")
public class Reports {

  @Bean(destroyMethod = "close")
  Pawl pawl() {
    return Pawl.connect(System.getProperty("store"));
  }

  @Bean
  LockProvider lockProvider(Pawl pawl) {
    return new PawlLockProvider(pawl);
  }

  /** All eight are called every fourth second, some of them late; one of them has the lock. */
  @Scheduled(cron = "*/4 * * * * *")
  @SchedulerLock(name = "report", lockAtLeastFor = "3200ms")
  public void report() throws Exception {
    Instant moment = Instant.ofEpochSecond(Instant.now().getEpochSecond() / 4 * 4);
    Files.writeString(
        Path.of(System.getProperty("sent")),
        moment + " by " + ProcessHandle.current().pid() + "\n",
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  public static void main(String[] args) throws Exception {
    System.setProperty("store", args[0]);
    System.setProperty("sent", args[1]);
    AnnotationConfigApplicationContext context =
        new AnnotationConfigApplicationContext(Reports.class);
    context.registerShutdownHook();
    Thread.currentThread().join();
  }
}
