package dev.pawl.spring;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.Ordered;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Has every transaction manager tell of its transactions, for the locks they commit under. */
final class TransactionWatch implements BeanPostProcessor {

  private static final Logger LOG = LoggerFactory.getLogger(TransactionWatch.class);

  private final BeanFactory beans;

  TransactionWatch(BeanFactory beans) {
    this.beans = beans;
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String beanName) {
    if (bean instanceof PlatformTransactionManager manager) {
      if (bean instanceof ConfigurableTransactionManager told) {
        told.addListener(new Listener(manager));
      } else {
        LOG.warn(
            "transaction manager {} ({}) tells nobody of its commits: leases are not checked before"
                + " them, and no fence is asked",
            beanName,
            bean.getClass().getName());
      }
    }
    return bean;
  }

  private final class Listener implements TransactionExecutionListener {

    private final PlatformTransactionManager manager;

    Listener(PlatformTransactionManager manager) {
      this.manager = manager;
    }

    @Override
    public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
      List<HeldLocks.Held> all = HeldLocks.all();
      if (failure != null || all.isEmpty()) {
        return;
      }
      List<HeldLocks.Held> admitted = new ArrayList<>();
      try {
        Fences fences = beans.getBean(Fences.class);
        for (HeldLocks.Held held : all) {
          boolean before = held.admitted().get();
          fences.admit(held);
          if (!before && held.admitted().get()) {
            admitted.add(held);
          }
        }
      } catch (RuntimeException e) {
        admitted.forEach(held -> held.admitted().set(false));
        // Spring takes a transaction whose listener throws for one that has not begun.
        manager.rollback((TransactionStatus) transaction);
        throw e;
      }
      if (!admitted.isEmpty() && TransactionSynchronizationManager.isSynchronizationActive()) {
        TransactionSynchronizationManager.registerSynchronization(new Admitted(admitted));
      }
    }

    @Override
    public void beforeCommit(TransactionExecution transaction) {
      // The last moment before it: what was flushed for the commit is in it already.
      HeldLocks.all().forEach(HeldLocks.Held::check);
    }
  }

  /** Remembers that the fence is passed until the transaction has completed. */
  private record Admitted(List<HeldLocks.Held> locks)
      implements TransactionSynchronization, Ordered {

    @Override
    public int getOrder() {
      return Ordered.LOWEST_PRECEDENCE;
    }

    @Override
    public void afterCompletion(int status) {
      locks.forEach(held -> held.admitted().set(false));
    }
  }
}
