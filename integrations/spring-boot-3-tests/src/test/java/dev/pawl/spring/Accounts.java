package dev.pawl.spring;

import dev.pawl.Lease;
import dev.pawl.jdbc.JdbcFence;
import dev.pawl.jdbc.SqlDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** An application with a table of accounts, in a test and as a process that is stopped. */
@EnableAutoConfiguration
public class Accounts {

  static final String LOCK = "account:1";

  @Bean
  Service service(JdbcTemplate jdbc, TransactionTemplate transactions) {
    return new Service(jdbc, transactions);
  }

  @Bean
  Outside outside(Service service, JdbcTemplate jdbc) {
    return new Outside(service, jdbc);
  }

  @Bean
  @ConditionalOnProperty("app.fence")
  JdbcFence fence(JdbcTemplate jdbc) {
    JdbcFence fence = JdbcFence.of(SqlDatabase.POSTGRESQL, "account_fence");
    jdbc.execute(fence.sql());
    return fence;
  }

  /** The annotations in both orders: what is outside does not depend on it. */
  static class Service {

    private final JdbcTemplate jdbc;
    private final TransactionTemplate transactions;

    Service(JdbcTemplate jdbc, TransactionTemplate transactions) {
      this.jdbc = jdbc;
      this.transactions = transactions;
    }

    @Locked(LOCK)
    @Transactional
    public void set(String owner, Runnable meanwhile) {
      write(owner);
      meanwhile.run();
    }

    @Transactional
    @Locked(LOCK)
    public void setTheOtherWayRound(String owner, Runnable meanwhile) {
      write(owner);
      meanwhile.run();
    }

    @Locked(name = LOCK, beforeCommit = BeforeCommit.STORE)
    @Transactional
    public void setAskingTheStore(String owner, Runnable meanwhile) {
      write(owner);
      meanwhile.run();
    }

    @Locked(LOCK)
    public void setLater(String owner, Runnable meanwhile, Lease lease) {
      meanwhile.run();
      transactions.executeWithoutResult(status -> write(owner));
    }

    @Locked(LOCK)
    public void lockedOnly(Runnable body) {
      body.run();
    }

    @Locked(name = LOCK, inTransaction = Locked.InTransaction.REFUSE)
    public void neverInside() {}

    private void write(String owner) {
      jdbc.update("UPDATE account SET owner = ? WHERE id = 1", owner);
    }
  }

  /** Calls the service inside of a transaction of its own. */
  static class Outside {

    private final Service service;
    private final JdbcTemplate jdbc;

    Outside(Service service, JdbcTemplate jdbc) {
      this.service = service;
      this.jdbc = jdbc;
    }

    @Transactional
    public void twiceInOneTransaction(String owner, Runnable afterwards) {
      service.lockedOnly(() -> {});
      service.lockedOnly(() -> jdbc.update("UPDATE account SET owner = ? WHERE id = 1", owner));
      afterwards.run();
    }

    @Transactional
    public void refused() {
      service.neverInside();
    }
  }

  /** Sets the owner by the method that is named, and waits in the middle until a file is there. */
  public static void main(String[] args) throws Exception {
    try (ConfigurableApplicationContext context = SpringApplication.run(Accounts.class, args)) {
      Service service = context.getBean(Service.class);
      Path goOn = Path.of(context.getEnvironment().getRequiredProperty("app.go-on"));
      Runnable wait =
          () -> {
            System.out.println("in the middle");
            while (!Files.exists(goOn)) {
              LockSupport.parkNanos(10_000_000);
            }
          };
      try {
        if (context.getEnvironment().getProperty("app.fence") == null) {
          service.set("stale", wait);
        } else {
          service.setLater("stale", wait, null);
        }
        System.out.println("committed");
      } catch (RuntimeException e) {
        System.out.println("failed: " + e);
      }
    }
  }
}
