package dev.pawl.spring.boot;

import dev.pawl.Pawl;
import dev.pawl.PawlException;
import dev.pawl.Store;
import dev.pawl.spring.PawlConfiguration;
import dev.pawl.spring.PawlDefaults;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

/** A node of Pawl on the store that the application has, and the annotations. */
@AutoConfiguration(
    afterName = {
      // Spring Boot 3.
      "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration",
      "org.springframework.boot.autoconfigure.hazelcast.HazelcastAutoConfiguration",
      "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
      // Spring Boot 4.
      "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
      "org.springframework.boot.hazelcast.autoconfigure.HazelcastAutoConfiguration",
      "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration"
    })
@ConditionalOnProperty(name = "pawl.enabled", matchIfMissing = true)
@EnableConfigurationProperties(PawlProperties.class)
@Import(PawlConfiguration.class)
public class PawlAutoConfiguration {

  /** The node, unless the application makes its own. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnMissingBean(Pawl.class)
  @Import(StoresConfiguration.class)
  static class Node {

    /** After Flyway, Liquibase and schema.sql, which may want an empty schema, or make ours. */
    @Bean(name = Foundation.BEAN)
    @DependsOnDatabaseInitialization
    Foundation pawlFoundation(
        PawlProperties properties,
        ConfigurableListableBeanFactory beans,
        ObjectProvider<Store> stores,
        ObjectProvider<StoreCandidates> kinds) {
      return Foundation.of(properties, beans, stores.getIfUnique(), kinds.orderedStream().toList());
    }

    @Bean
    Pawl pawl(PawlProperties properties, Environment environment, Foundation foundation) {
      Pawl.Builder builder = foundation.builder();
      set("pawl.defaults", () -> builder.defaults(properties.defaults().options()));
      String label = label(properties, environment);
      if (label != null) {
        set("pawl.label", () -> builder.label(label));
      }
      Duration timeout = properties.responseTimeout();
      if (timeout != null) {
        set("pawl.response-timeout", () -> builder.responseTimeout(timeout));
      }
      try {
        return builder.build();
      } catch (PawlException | IllegalArgumentException e) { // A URL is opened here.
        throw StoreChoiceException.notOpened(e);
      }
    }

    private static void set(String property, Runnable setter) {
      try {
        setter.run();
      } catch (IllegalArgumentException e) {
        throw StoreChoiceException.notAllowed(property, e);
      }
    }

    @Bean
    PawlShutdown pawlShutdown(Pawl pawl, Foundation foundation) {
      return new PawlShutdown(pawl, foundation);
    }

    /** The application's name in place of {@code java}: {@code orders@host:pid}. */
    private static @Nullable String label(PawlProperties properties, Environment environment) {
      if (properties.label() != null) {
        return properties.label();
      }
      String name = environment.getProperty("spring.application.name");
      return name == null || name.isBlank() ? null : NodeLabel.of(name.strip());
    }
  }

  @Bean
  @ConditionalOnMissingBean
  PawlDefaults pawlDefaults(PawlProperties properties) {
    return properties.defaults().ofAnnotations();
  }

  /** Nobody asks for it, so that it would never be made where beans are lazy. */
  @Bean
  @Lazy(false)
  @ConditionalOnProperty(name = "pawl.events", matchIfMissing = true)
  PawlEvents pawlEvents(Pawl pawl, ApplicationContext context) {
    return new PawlEvents(pawl, context);
  }
}
