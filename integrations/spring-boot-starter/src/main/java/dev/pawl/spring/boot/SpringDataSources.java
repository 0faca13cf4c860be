package dev.pawl.spring.boot;

import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/**
 * What Spring has around a {@code DataSource} that goes by the thread. A store is called by threads
 * of the application and by those of its node, and has to find the same tables on each.
 */
final class SpringDataSources {

  private SpringDataSources() {}

  /** Returns one whose connections are nobody's transaction, and of one database. */
  static DataSource forAllThreads(DataSource given) {
    DataSource source = outsideOfTransactions(given);
    if (isRouting(source)) {
      throw new StoreChoiceException(
          "The DataSource chooses a database for each thread ("
              + source.getClass().getName()
              + "): a lock would be taken in one, and renewed in another",
          "Have the DataSource of the database that has the locks as a bean, and name it by"
              + " pawl.store-bean; or set pawl.store to its URL; or, if it is the same for all"
              + " threads, have a bean of type dev.pawl.Store: JdbcStore.open(dataSource, …).");
    }
    return source;
  }

  /** Not the connection of the caller's transaction, which the store would commit. */
  private static DataSource outsideOfTransactions(DataSource given) {
    DataSource outside = given;
    DataSource each = given;
    while (each instanceof DelegatingDataSource delegating
        && delegating.getTargetDataSource() != null) {
      each = delegating.getTargetDataSource();
      if (delegating instanceof TransactionAwareDataSourceProxy) {
        outside = each;
      }
    }
    return outside;
  }

  private static boolean isRouting(DataSource source) {
    try {
      return source.isWrapperFor(AbstractRoutingDataSource.class);
    } catch (SQLException e) {
      return false;
    }
  }
}
