package dev.pawl.spring;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.ClassUtils;

/** The beans behind {@link EnablePawl}. */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
@Import({PawlConfiguration.Proxies.class, PawlConfiguration.Transactions.class})
@ImportRuntimeHints(PawlHints.class)
public class PawlConfiguration {

  static final boolean SPRING_TX = isPresent("org.springframework.transaction.TransactionManager");
  static final boolean FENCE =
      isPresent("dev.pawl.jdbc.JdbcFence")
          && isPresent("org.springframework.jdbc.datasource.DataSourceUtils");

  private static boolean isPresent(String name) {
    return ClassUtils.isPresent(name, PawlConfiguration.class.getClassLoader());
  }

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static LockedAdvisor pawlLockedAdvisor(ConfigurableBeanFactory beans) {
    LockedOperations operations = new LockedOperations(beans);
    return new LockedAdvisor(operations, new LockedInterceptor(operations, beans));
  }

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  @Lazy(false)
  static NodeCheck pawlNodeCheck(ListableBeanFactory beans) {
    return new NodeCheck(beans);
  }

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static OnceTasks pawlOnceTasks(ConfigurableBeanFactory beans) {
    return new OnceTasks(beans);
  }

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static TickProcessorRegistrar pawlTickProcessorRegistrar() {
    return new TickProcessorRegistrar();
  }

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static UnscheduledTicks pawlUnscheduledTicks(ListableBeanFactory beans) {
    return new UnscheduledTicks(beans);
  }

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  @Lazy(false)
  static Fences pawlFences(ListableBeanFactory beans) {
    return SPRING_TX && FENCE ? new JdbcFences(beans) : Fences.none();
  }

  /** Has beans proxied by the advisor, as {@code @EnableTransactionManagement} does. */
  static final class Proxies implements ImportBeanDefinitionRegistrar {

    @Override
    public void registerBeanDefinitions(
        AnnotationMetadata importing, BeanDefinitionRegistry registry) {
      AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
    }
  }

  /** Watches the transactions, where there are any. */
  static final class Transactions implements ImportBeanDefinitionRegistrar {

    @Override
    public void registerBeanDefinitions(
        AnnotationMetadata importing, BeanDefinitionRegistry registry) {
      if (SPRING_TX) {
        TransactionWatchRegistrar.register(registry);
      }
    }
  }
}
