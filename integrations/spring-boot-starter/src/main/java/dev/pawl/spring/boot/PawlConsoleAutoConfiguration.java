package dev.pawl.spring.boot;

import dev.pawl.Pawl;
import dev.pawl.console.ConsoleServlet;
import dev.pawl.console.access.Access;
import jakarta.servlet.Servlet;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The console on the server of the application and behind its security, where {@code pawl-console}
 * is there and {@code pawl.console.path} says under which path.
 */
@AutoConfiguration(after = PawlAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
class PawlConsoleAutoConfiguration {

  private static final String PATH = "pawl.console.path";

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({ConsoleServlet.class, Servlet.class, ServletRegistrationBean.class})
  static class Mounted {

    @Bean
    @ConditionalOnProperty(PATH)
    @ConditionalOnBean(Pawl.class)
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

    /** Also for a console that the application mounts by a bean of its own. */
    @Bean
    ConsoleShutdown pawlConsoleShutdown(ObjectProvider<ServletRegistrationBean<?>> servlets) {
      return new ConsoleShutdown(servlets);
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnMissingClass("dev.pawl.console.ConsoleServlet")
  @ConditionalOnProperty(PATH)
  static class Missing {

    @Bean
    SmartInitializingSingleton pawlConsoleMissing() {
      return () ->
          LoggerFactory.getLogger("dev.pawl")
              .warn(
                  "pawl.console.path is set, but there is no console: dev.pawl:pawl-console is not"
                      + " on the class path");
    }
  }
}
