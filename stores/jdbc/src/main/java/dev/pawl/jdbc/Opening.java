package dev.pawl.jdbc;

import dev.pawl.PawlException;
import dev.pawl.jdbc.connect.Connections;
import dev.pawl.jdbc.connect.Failures;
import dev.pawl.jdbc.connect.UrlDataSource;
import dev.pawl.jdbc.dialect.Dialect;
import dev.pawl.jdbc.dialect.ServerTraits;
import dev.pawl.spi.Finding;
import dev.pawl.spi.LockStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.BiFunction;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The way to a store: the first connection, a look at what is there, and whether it will do. */
final class Opening {

  private static final Logger LOG = LoggerFactory.getLogger(Opening.class);

  /** How often one looks at a file that is busy. */
  private static final int MOST_ATTEMPTS = 100;

  /** How long a process that starts waits for its first connection at the least. */
  private static final Duration FIRST = Duration.ofSeconds(15);

  private Opening() {}

  /** Connects to a URL for the first time, which may take longer, and opens a store there. */
  static <S extends LockStore> S connect(
      UrlDataSource source, BiFunction<Connections, ServerTraits, S> opening) {
    source.first(true);
    // Not through the pool: a driver that is loaded for the first time may take its time.
    ServerTraits traits = look(source, source.toString());
    if (traits.pooled()) {
      source.prepareNothing(); // And set nothing: the connection may be another's next.
    } else {
      source.endIdleTransactions(traits.dialect());
    }
    Connections connections = Connections.of(source, traits.dialect(), source.pool());
    connections.awaitFirst(FIRST);
    S store = opening.apply(connections, traits);
    source.first(false);
    return store;
  }

  /** Connects, and looks. */
  static ServerTraits look(DataSource source, String place) {
    for (int attempt = 1; ; attempt++) {
      try (Connection connection = source.getConnection()) {
        return Connections.inAutoCommit(connection, c -> SqlDatabase.dialect(c).traits(c));
      } catch (SQLException e) {
        List<Dialect> any = SqlDatabase.dialects();
        // A file may be busy while others make it what it is to be.
        if (attempt == MOST_ATTEMPTS || any.stream().noneMatch(each -> each.isRolledBack(e))) {
          String remedy = any.stream().map(each -> each.remedy(e)).reduce("", String::concat);
          throw Failures.noConnection(place, "", e, remedy);
        }
      }
      Connections.pause(attempt);
    }
  }

  /** Refuses what cannot work, and says what does not hold. */
  static void check(ServerTraits traits, JdbcOptions options, String place) {
    List<Finding> obstacles = traits.obstacles(options.strategy() == JdbcStrategy.ROW_LOCK);
    if (!obstacles.isEmpty()) {
      throw new PawlException(place + ": " + sentence(obstacles.get(0)));
    }
    for (Finding each : traits.limits()) {
      LOG.warn("{}: {}", place, sentence(each));
    }
  }

  private static String sentence(Finding finding) {
    return finding.what() + ": " + finding.why() + "; " + finding.remedy();
  }
}
