package dev.pawl.spring.boot;

import dev.pawl.Pawl;
import dev.pawl.quartz.PawlJobStore;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.scheduling.quartz.SchedulerFactoryBean;

/** Hands the node of the application over before a scheduler is made. */
final class QuartzNode implements BeanPostProcessor {

  private final ConfigurableListableBeanFactory beans;

  QuartzNode(ConfigurableListableBeanFactory beans) {
    this.beans = beans;
  }

  @Override
  public Object postProcessBeforeInitialization(Object bean, String beanName) {
    if (bean instanceof SchedulerFactoryBean) {
      Pawl pawl = beans.getBeanProvider(Pawl.class).getIfUnique();
      if (pawl != null) {
        PawlJobStore.use(pawl);
        for (String name : beans.getBeanNamesForType(Pawl.class, true, false)) {
          beans.registerDependentBean(name, BeanFactoryUtils.transformedBeanName(beanName));
        }
      }
    }
    return bean;
  }
}
