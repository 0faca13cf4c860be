package example;

import dev.pawl.jdbc.JdbcFence;
import dev.pawl.jdbc.SqlDatabase;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;

/** One of two servers: pays the invoice 42, and says what came of it. */
@SpringBootApplication
public class Application {

  /** All there is to do for fencing: each transaction under a lock admits the token of its lease. */
  @Bean
  JdbcFence fence(JdbcTemplate jdbc) {
    JdbcFence fence = JdbcFence.of(SqlDatabase.POSTGRESQL, "payment_fence");
    jdbc.execute(fence.sql()); // CREATE TABLE IF NOT EXISTS
    return fence;
  }

  @Bean
  ApplicationRunner pay(Payments payments, Ledger ledger) {
    return args -> {
      try {
        payments.pay(42);
        System.out.println("booked");
      } catch (RuntimeException e) {
        System.out.println("refused: " + e);
      }
      System.out.println("the ledger has the " + ledger.receipt(42));
    };
  }

  public static void main(String[] args) {
    System.exit(SpringApplication.exit(SpringApplication.run(Application.class, args)));
  }
}
