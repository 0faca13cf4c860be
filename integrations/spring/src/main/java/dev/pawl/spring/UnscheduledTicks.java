package dev.pawl.spring;

import java.lang.reflect.Method;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.scheduling.annotation.Scheduled;

/** Refuses {@link OncePerTick} where it would mean nothing, silently. */
final class UnscheduledTicks implements BeanPostProcessor {

  private static final Logger LOG = LoggerFactory.getLogger(UnscheduledTicks.class);

  private final ListableBeanFactory beans;

  UnscheduledTicks(ListableBeanFactory beans) {
    this.beans = beans;
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String beanName) {
    Class<?> type = AopProxyUtils.ultimateTargetClass(bean);
    if (!AnnotationUtils.isCandidateClass(type, OncePerTick.class)) {
      return bean;
    }
    Map<Method, OncePerTick> methods =
        MethodIntrospector.selectMethods(
            type,
            (MethodIntrospector.MetadataLookup<OncePerTick>)
                method -> AnnotatedElementUtils.findMergedAnnotation(method, OncePerTick.class));
    if (!methods.isEmpty()) {
      checkProcessors(type);
    }
    for (Method method : methods.keySet()) {
      if (AnnotatedElementUtils.getMergedRepeatableAnnotations(method, Scheduled.class).isEmpty()) {
        throw new SetupException(
            "@OncePerTick on "
                + type.getName()
                + "."
                + method.getName()
                + " needs @Scheduled beside it; for a schedule of another kind see OnceTasks");
      }
    }
    return bean;
  }

  private void checkProcessors(Class<?> type) {
    String[] processors = TickProcessorRegistrar.processors(beans);
    if (processors.length == 0) { // As in a test, or on a node that is to run none.
      LOG.warn(
          "@OncePerTick methods of {} do not run here: there is no @EnableScheduling",
          type.getName());
    }
    for (String name : processors) {
      if (beans.getType(name, false) != TickProcessor.class) {
        throw new SetupException(
            "@Scheduled is processed by "
                + beans.getType(name, false)
                + ", which knows no @OncePerTick: the methods would run on every node. Use"
                + " @EnableScheduling, or OnceTasks");
      }
    }
  }
}
