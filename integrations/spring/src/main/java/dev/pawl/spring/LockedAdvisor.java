package dev.pawl.spring;

import java.lang.reflect.Method;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotationUtils;

/** Puts the lock around methods that are {@link Locked}, outside of their transactions. */
final class LockedAdvisor extends StaticMethodMatcherPointcutAdvisor {

  private static final long serialVersionUID = 1L;

  /** Outside of whatever else is around a method, but leaves room for what has to be outside. */
  static final int ORDER = Ordered.HIGHEST_PRECEDENCE + 1_000;

  private final transient LockedOperations operations;

  LockedAdvisor(LockedOperations operations, LockedInterceptor interceptor) {
    super(interceptor);
    this.operations = operations;
    setOrder(ORDER);
    setClassFilter(type -> AnnotationUtils.isCandidateClass(type, Locked.class));
  }

  @Override
  public boolean matches(Method method, Class<?> targetClass) {
    return operations.find(method, targetClass).isPresent();
  }
}
