package dev.pawl.spring;

import dev.pawl.jdbc.JdbcFence;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Admits tokens by the application's {@code JdbcFence}, on the connection of the transaction.
 *
 * <p>As the first thing in it: the row of the fence stays locked until the transaction ends, so
 * that whatever it reads afterwards no older holder changes.
 */
final class JdbcFences implements Fences {

  private final BeanFactory beans;

  JdbcFences(BeanFactory beans) {
    this.beans = beans;
  }

  @Override
  public void admit(HeldLocks.Held held) {
    JdbcFence fence = beans.getBeanProvider(JdbcFence.class).getIfUnique();
    DataSource source = beans.getBeanProvider(DataSource.class).getIfUnique();
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
