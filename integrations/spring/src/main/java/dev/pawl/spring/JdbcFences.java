package dev.pawl.spring;

import dev.pawl.jdbc.JdbcFence;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Admits tokens by the application's {@code JdbcFence}, on the connection of the transaction.
 *
 * <p>As the first thing in it: the row of the fence stays locked until the transaction ends, so
 * that whatever it reads afterwards no older holder changes.
 */
final class JdbcFences implements Fences, SmartInitializingSingleton {

  private final ListableBeanFactory beans;

  JdbcFences(ListableBeanFactory beans) {
    this.beans = beans;
  }

  /** A fence that nobody asks would be worse than none. */
  @Override
  public void afterSingletonsInstantiated() {
    if (beans.getBeanNamesForType(JdbcFence.class, true, false).length > 0) {
      require(JdbcFence.class);
      require(DataSource.class);
    }
  }

  private void require(Class<?> type) {
    if (beans.getBeanProvider(type).getIfUnique() == null) {
      List<String> names = List.of(beans.getBeanNamesForType(type, true, false));
      throw new SetupException(
          "a bean of type JdbcFence admits the tokens of @Locked and @OncePerTick in transactions,"
              + " and needs one "
              + type.getSimpleName()
              + "; there are "
              + (names.isEmpty() ? "none" : String.join(", ", names))
              + (names.size() > 1 ? ": mark the one that is meant as @Primary" : "")
              + ". A fence that you ask yourself is no bean");
    }
  }

  private @Nullable DataSource source() {
    DataSource source = beans.getBeanProvider(DataSource.class).getIfUnique();
    // A transaction manager looks through it as well.
    return source instanceof TransactionAwareDataSourceProxy proxy
        ? proxy.getTargetDataSource()
        : source;
  }

  @Override
  public void admit(HeldLocks.Held held) {
    JdbcFence fence = beans.getBeanProvider(JdbcFence.class).getIfUnique();
    DataSource source = fence == null ? null : source();
    if (fence == null
        || source == null
        || held.kind() != HeldLocks.Kind.EXCLUSIVE
        || TransactionSynchronizationManager.isCurrentTransactionReadOnly()
        || !TransactionSynchronizationManager.hasResource(source)
        || !held.admitted().compareAndSet(false, true)) {
      return;
    }
    Connection connection = DataSourceUtils.getConnection(source);
    try {
      fence.admit(connection, held.name(), held.token());
    } catch (SQLException e) {
      held.admitted().set(false);
      throw new DataAccessResourceFailureException(
          "lock \"" + held.name() + "\": its token could not be admitted by the fence", e);
    } catch (RuntimeException e) {
      held.admitted().set(false);
      throw e;
    } finally {
      DataSourceUtils.releaseConnection(connection, source);
    }
  }
}
