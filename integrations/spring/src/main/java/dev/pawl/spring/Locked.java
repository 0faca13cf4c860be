package dev.pawl.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * Has a method of a bean run under a distributed lock: of all threads on all machines one at a
 * time.
 *
 * <pre>{@code
 * @Locked("'invoice:' + #id")
 * public void settle(long id, Lease lease) { … lease.token() … }
 * }</pre>
 *
 * <p>A parameter of type {@link dev.pawl.Lease} is filled in; callers pass {@code null}. If the
 * method returns a {@code CompletionStage} or a reactive type, the lock is held until that has
 * completed; a reactive one is locked for each subscription, without blocking a thread. A call
 * under a lock that the thread holds already by another {@code @Locked} call is part of that call.
 *
 * <p>The lock is outside of the transaction of {@code @Transactional}. It works on calls through
 * the bean: not on {@code this.settle(42)}, nor on private, static or final methods.
 *
 * <p>All texts may have placeholders, {@code ${…}}. Durations are {@code 10s}, {@code 500ms},
 * {@code PT10S}.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface Locked {

  /** The name of the lock; the same as {@link #name}. */
  @AliasFor("name")
  String value() default "";

  /**
   * The name of the lock. With a {@code #}, {@code @} or quote in it, it is an expression over the
   * arguments: {@code 'invoice:' + #id}. Else it is the name itself: {@code nightly}. Without one,
   * the name is made of the class of the bean, the method and the types of its parameters.
   */
  @AliasFor("value")
  String name() default "";

  /**
   * How long a call waits for the lock. By default as long as it takes, or the property {@code
   * pawl.defaults.wait-for}; with {@link #ifBusy} or a {@link #fallback}, not at all.
   */
  String waitFor() default "";

  /** How long the store keeps the lock for a node that has died; by default that of the node. */
  String lease() default "";

  /** Whether calls share the lock, as readers do, and exclude only those that do not. */
  boolean shared() default false;

  /** How many permits a call takes; for {@link #capacity}. */
  int permits() default 1;

  /** How many permits there are: with it, as many calls run at a time. Zero is a lock. */
  int capacity() default 0;

  /** What becomes of a call that did not get the lock in time. */
  IfBusy ifBusy() default IfBusy.THROW;

  /**
   * The method of the same class that is called instead if the lock was not had in time. It has the
   * same parameters, without those of type {@code Lease}; a {@code LockTimeoutException} may be
   * added at the end.
   */
  String fallback() default "";

  /** What becomes of a call inside of a transaction that is open already. */
  InTransaction inTransaction() default InTransaction.HOLD;

  /** How the lease is checked before a transaction commits under it. */
  BeforeCommit beforeCommit() default BeforeCommit.LOCAL;

  /** What becomes of a call that did not get the lock in time. */
  enum IfBusy {
    /** It throws a {@code LockTimeoutException} that says who has it. */
    THROW,
    /**
     * It returns nothing: null, an empty {@code Optional}, a stage or publisher without a value.
     */
    SKIP
  }

  /** What becomes of a call inside of a transaction that is open already. */
  enum InTransaction {
    /** The lock is held until that transaction has completed. */
    HOLD,
    /** The call is refused with an {@code IllegalStateException}. */
    REFUSE
  }
}
