package dev.pawl.spring;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;

/** Registers {@link TransactionWatch}; a class of its own, so that spring-tx may be missing. */
final class TransactionWatchRegistrar {

  private static final String NAME = "pawlTransactionWatch";

  private TransactionWatchRegistrar() {}

  static void register(BeanDefinitionRegistry registry) {
    if (!registry.containsBeanDefinition(NAME)) {
      RootBeanDefinition definition = new RootBeanDefinition(TransactionWatch.class);
      definition.setRole(BeanDefinition.ROLE_INFRASTRUCTURE);
      definition.setAutowireMode(RootBeanDefinition.AUTOWIRE_CONSTRUCTOR);
      registry.registerBeanDefinition(NAME, definition);
    }
  }
}
