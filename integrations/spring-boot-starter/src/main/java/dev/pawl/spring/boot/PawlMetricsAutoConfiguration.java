package dev.pawl.spring.boot;

import dev.pawl.Pawl;
import dev.pawl.micrometer.PawlMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** The metrics of the node, where {@code pawl-micrometer} is there: Spring Boot binds them. */
@AutoConfiguration(after = PawlAutoConfiguration.class)
@ConditionalOnClass({PawlMetrics.class, MeterRegistry.class})
@ConditionalOnBean(Pawl.class)
class PawlMetricsAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean
  PawlMetrics pawlMetrics(Pawl pawl) {
    return new PawlMetrics(pawl);
  }
}
