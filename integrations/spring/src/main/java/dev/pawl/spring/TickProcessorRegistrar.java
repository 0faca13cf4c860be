package dev.pawl.spring;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.scheduling.annotation.ScheduledAnnotationBeanPostProcessor;

/** Puts {@link TickProcessor} in the place of Spring's own, where scheduling is enabled. */
final class TickProcessorRegistrar implements BeanDefinitionRegistryPostProcessor {

  @Override
  public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
    ListableBeanFactory beans = (ListableBeanFactory) registry;
    // By its type: its name is not the same in Spring 6 and 7.
    for (String name : processors(beans)) {
      if (beans.getType(name, false) == ScheduledAnnotationBeanPostProcessor.class) {
        registry.removeBeanDefinition(name);
        RootBeanDefinition definition = new RootBeanDefinition(TickProcessor.class);
        definition.setRole(BeanDefinition.ROLE_INFRASTRUCTURE);
        registry.registerBeanDefinition(name, definition);
      }
    }
  }

  @Override
  public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {}

  /** Returns the names of what processes {@code @Scheduled}. */
  static String[] processors(ListableBeanFactory beans) {
    return beans.getBeanNamesForType(ScheduledAnnotationBeanPostProcessor.class, true, false);
  }
}
