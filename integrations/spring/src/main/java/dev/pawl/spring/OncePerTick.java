package dev.pawl.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * Beside {@code @Scheduled}: of all nodes one runs the method for each tick.
 *
 * <pre>{@code
 * @Scheduled(cron = "0 * * * * *")
 * @OncePerTick("sms-reminder")
 * public void sendReminders() { … }
 * }</pre>
 *
 * <p>The tick of a cron schedule is the scheduled time, whatever the clock says when it runs; that
 * of a fixed rate is due once in each period of the store's clock. A fixed delay has no ticks: it
 * needs a {@link #period}. The other nodes stand by, without a thread, and take over when the
 * runner dies.
 *
 * <p>The method runs on a thread of the node, so that a scheduler with one thread is enough. It
 * returns nothing, and is not {@code @Async}. {@link CurrentRun} is its run, with the token. All
 * texts may have placeholders, {@code ${…}}.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface OncePerTick {

  /** The name of the job; the same as {@link #name}. */
  @AliasFor("name")
  String value() default "";

  /** The name of the job; by default the class and the method. */
  @AliasFor("value")
  String name() default "";

  /** With a fixed delay: once in every period of that length, by the store's clock. */
  String period() default "";

  /** How long a dead node keeps the others from taking over; by default the lease of the node. */
  String lease() default "";

  /**
   * When a run loses its lease and is interrupted; by default never, or the property {@code
   * pawl.defaults.at-most-for}.
   */
  String atMostFor() default "";

  /**
   * How long the job is kept from everybody after the start of a run; by default not at all, or the
   * property {@code pawl.defaults.at-least-for}.
   */
  String atLeastFor() default "";

  /**
   * How often a tick whose method throws is left to another node; by default never, or the property
   * {@code pawl.defaults.retry-elsewhere}.
   */
  int retryElsewhere() default -1;

  /** How the run is checked before a transaction commits in it: by default without a round trip. */
  BeforeCommit beforeCommit() default BeforeCommit.LOCAL;
}
