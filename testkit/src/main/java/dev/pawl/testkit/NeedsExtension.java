package dev.pawl.testkit;

import dev.pawl.spi.Capability;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/**
 * Runs the case that {@link Needs} something, or checks the refusal where the store cannot do it. A
 * case that the machine has spoilt is run again.
 */
final class NeedsExtension implements InvocationInterceptor {

  /** How often a case is run that is spoilt each time. */
  private static final int ATTEMPTS = 5;

  @Override
  public void interceptTestMethod(
      Invocation<Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    if (!(context.getRequiredTestInstance() instanceof StoreCases cases)) {
      invocation.proceed();
      return;
    }
    Set<Capability> missing = needed(context);
    // What a case of safety finds is not excused, and most of them have no queue.
    boolean queues = missing.contains(Capability.FAIR) && !context.getTags().contains("safety");
    missing.removeAll(cases.store().capabilities());
    if (missing.isEmpty()) {
      run(cases, queues, invocation, method.getExecutable());
      return;
    }
    invocation.skip();
    for (Capability capability : missing) {
      Refusals.check(cases, capability);
    }
  }

  private static void run(
      StoreCases cases, boolean queues, Invocation<Void> invocation, Method method)
      throws Throwable {
    for (int made = 1; ; made++) {
      cases.begin();
      try {
        if (made == 1) {
          invocation.proceed();
        } else {
          var unused = method.invoke(cases); // An invocation proceeds only once.
        }
        return;
      } catch (Throwable e) {
        Throwable failure = thrownBy(e);
        if (made == ATTEMPTS
            || failure instanceof InterruptedException
            || Thread.currentThread().isInterrupted()
            || !cases.isSpoilt(failure, queues)) {
          throw failure;
        }
      }
      System.out.printf(
          "%s was held up for %,d ms, and is run again%n",
          method.getName(), cases.heldUp().toMillis());
      cases.giveUp();
    }
  }

  private static Throwable thrownBy(Throwable error) {
    Throwable cause = error.getCause();
    return error instanceof InvocationTargetException && cause != null ? cause : error;
  }

  private static Set<Capability> needed(ExtensionContext context) {
    Set<Capability> needed = EnumSet.noneOf(Capability.class);
    Needs onClass = context.getRequiredTestClass().getAnnotation(Needs.class);
    if (onClass != null) {
      needed.addAll(List.of(onClass.value()));
    }
    Needs onMethod = context.getRequiredTestMethod().getAnnotation(Needs.class);
    if (onMethod != null) {
      needed.addAll(List.of(onMethod.value()));
    }
    return needed;
  }
}
