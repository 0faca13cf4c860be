package dev.pawl.spring.boot;

import dev.pawl.quartz.PawlJobStore;
import org.quartz.Scheduler;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.quartz.SchedulerFactoryBean;

/** Schedulers of Quartz whose job store is Pawl's work with the node of the application. */
@AutoConfiguration(after = PawlAutoConfiguration.class)
@ConditionalOnClass({PawlJobStore.class, Scheduler.class, SchedulerFactoryBean.class})
@ConditionalOnProperty(name = "pawl.enabled", matchIfMissing = true)
class PawlQuartzAutoConfiguration {

  @Bean
  static QuartzNode pawlQuartzNode(ConfigurableListableBeanFactory beans) {
    return new QuartzNode(beans);
  }

  @Bean
  QuartzShutdown pawlQuartzShutdown(ConfigurableListableBeanFactory beans) {
    return new QuartzShutdown(beans);
  }
}
