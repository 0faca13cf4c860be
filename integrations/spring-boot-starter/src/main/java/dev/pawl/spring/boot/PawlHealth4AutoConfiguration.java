package dev.pawl.spring.boot;

import dev.pawl.Pawl;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Health with Spring Boot 4, where its types are in another package. */
@AutoConfiguration(after = PawlAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(Pawl.class)
@ConditionalOnEnabledHealthIndicator("pawl")
class PawlHealth4AutoConfiguration {

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
