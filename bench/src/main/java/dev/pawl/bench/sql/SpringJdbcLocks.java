package dev.pawl.bench.sql;

import com.zaxxer.hikari.HikariDataSource;
import dev.pawl.bench.contest.Competitor;
import dev.pawl.bench.peer.JavaLocks;
import dev.pawl.bench.peer.ShedLocks;
import java.time.Duration;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/** The peers that stand on Spring's JDBC. */
final class SpringJdbcLocks {

  /** Longer than a busy machine keeps a process waiting: nobody renews it. */
  private static final Duration LEASE = Duration.ofMinutes(1);

  private SpringJdbcLocks() {}

  static Competitor springIntegration(String url) {
    HikariDataSource pool = Database.of(url).pool(url);
    DefaultLockRepository repository = new DefaultLockRepository(pool);
    repository.setTransactionManager(new DataSourceTransactionManager(pool));
    repository.afterPropertiesSet();
    repository.afterSingletonsInstantiated();
    repository.start();
    JdbcLockRegistry registry = new JdbcLockRegistry(repository, LEASE);
    return new JavaLocks(
        registry::obtain,
        () -> {
          repository.close();
          pool.close();
        });
  }

  /** With the database's clock, as its documentation recommends, where it knows it. */
  static Competitor shedLock(String url) {
    Database database = Database.of(url);
    HikariDataSource pool = database.pool(url);
    var configuration =
        JdbcTemplateLockProvider.Configuration.builder().withJdbcTemplate(new JdbcTemplate(pool));
    if (database != Database.SQLITE) {
      configuration.usingDbTime();
    }
    return new ShedLocks(new JdbcTemplateLockProvider(configuration.build()), pool::close);
  }
}
