package dev.pawl.spring.boot;

import dev.pawl.Pawl;
import dev.pawl.console.ConsoleServlet;
import dev.pawl.console.access.Access;
import jakarta.servlet.Servlet;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;

/**
 * The console on the server of the application and behind its security, where {@code pawl-console}
 * is there and {@code pawl.console.path} says under which path.
 */
@AutoConfiguration(after = PawlAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({ConsoleServlet.class, Servlet.class, ServletRegistrationBean.class})
@ConditionalOnProperty("pawl.console.path")
@ConditionalOnBean(Pawl.class)
class PawlConsoleAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean(name = "pawlConsole")
  ServletRegistrationBean<ConsoleServlet> pawlConsole(Pawl pawl, PawlProperties properties) {
    PawlProperties.Console console = properties.console();
    ServletRegistrationBean<ConsoleServlet> registration =
        new ServletRegistrationBean<>(
            new ConsoleServlet(pawl, Access.ofContainer(console.operatorRole())),
            console.mapping());
    registration.setName("pawlConsole");
    return registration;
  }
}
