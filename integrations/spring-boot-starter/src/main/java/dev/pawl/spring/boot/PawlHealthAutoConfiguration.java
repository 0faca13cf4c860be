package dev.pawl.spring.boot;

import dev.pawl.Pawl;
import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.actuate.health.AbstractHealthIndicator;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Health with Spring Boot 3: the store answers. {@link PawlHealth4AutoConfiguration} is that of 4.
 */
@AutoConfiguration(after = PawlAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(Pawl.class)
@ConditionalOnEnabledHealthIndicator("pawl")
class PawlHealthAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean(name = "pawlHealthIndicator")
  HealthIndicator pawlHealthIndicator(Pawl pawl) {
    return new AbstractHealthIndicator("the store of Pawl does not answer") {
      @Override
      protected void doHealthCheck(Health.Builder builder) {
        StoreRoundTrip trip = StoreRoundTrip.of(pawl);
        builder
            .up()
            .withDetail("store", trip.store())
            .withDetail("node", trip.node())
            .withDetail("roundTrip", trip.millis());
        pawl.store().mode().ifPresent(mode -> builder.withDetail("mode", mode));
      }
    };
  }
}
