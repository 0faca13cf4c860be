package dev.pawl.testkit;

import dev.pawl.spi.Capability;
import java.lang.reflect.Method;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/**
 * Runs the case that {@link Needs} something, or checks the refusal where the store cannot do it.
 */
final class NeedsExtension implements InvocationInterceptor {

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
    missing.removeAll(cases.store().capabilities());
    if (missing.isEmpty()) {
      invocation.proceed();
      return;
    }
    invocation.skip();
    for (Capability capability : missing) {
      Refusals.check(cases, capability);
    }
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
