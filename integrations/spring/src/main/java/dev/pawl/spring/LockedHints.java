package dev.pawl.spring;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ReflectionUtils;

/** What a native image needs for {@link Locked}: fallback methods, and what names are made of. */
final class LockedHints implements BeanRegistrationAotProcessor {

  @Override
  public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
    List<Method> fallbacks = new ArrayList<>();
    List<Class<?>> arguments = new ArrayList<>();
    Class<?> type = bean.getBeanClass();
    ReflectionUtils.doWithMethods(
        type,
        method -> {
          Locked locked = AnnotatedElementUtils.findMergedAnnotation(method, Locked.class);
          if (locked == null) {
            return;
          }
          if (!locked.fallback().isEmpty()) {
            ReflectionUtils.doWithMethods(
                type, fallbacks::add, each -> each.getName().equals(locked.fallback()));
          }
          if (locked.name().contains("#")) {
            arguments.addAll(Arrays.asList(method.getParameterTypes()));
          }
        });
    if (fallbacks.isEmpty() && arguments.isEmpty()) {
      return null;
    }
    return (generation, code) -> {
      ReflectionHints hints = generation.getRuntimeHints().reflection();
      fallbacks.forEach(method -> hints.registerMethod(method, ExecutableMode.INVOKE));
      new BindingReflectionHintsRegistrar()
          .registerReflectionHints(hints, arguments.toArray(Class<?>[]::new));
    };
  }
}
