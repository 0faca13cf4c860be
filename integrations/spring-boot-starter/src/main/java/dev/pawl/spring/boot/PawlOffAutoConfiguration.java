package dev.pawl.spring.boot;

import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/** Says that nothing is locked. */
@AutoConfiguration
@ConditionalOnProperty(name = "pawl.enabled", havingValue = "false")
class PawlOffAutoConfiguration {

  /** Said at the start, also where beans are lazy. */
  @Bean
  @Lazy(false)
  SmartInitializingSingleton pawlOff() {
    return () ->
        LoggerFactory.getLogger("dev.pawl")
            .warn(
                "pawl.enabled=false: @Locked locks nothing and fills in no Lease, @OncePerTick"
                    + " methods run on every node, and there is no bean Pawl; pawl.store=memory: is"
                    + " a store for tests that needs nothing");
  }
}
