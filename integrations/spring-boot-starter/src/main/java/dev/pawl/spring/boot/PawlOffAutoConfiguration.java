package dev.pawl.spring.boot;

import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/** Says that nothing is locked. */
@AutoConfiguration
@ConditionalOnProperty(name = "pawl.enabled", havingValue = "false")
class PawlOffAutoConfiguration {

  @Bean
  SmartInitializingSingleton pawlOff() {
    return () ->
        LoggerFactory.getLogger("dev.pawl")
            .warn(
                "pawl.enabled=false: @Locked locks nothing, and @OncePerTick methods run on every"
                    + " node");
  }
}
