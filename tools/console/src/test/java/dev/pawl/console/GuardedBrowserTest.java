package dev.pawl.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.console.access.Access;
import dev.pawl.console.access.Sessions;
import dev.pawl.console.watch.OpenStore;
import dev.pawl.console.watch.StoreWatch;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.Path;
import java.security.Principal;
import java.time.Duration;
import org.apache.catalina.Wrapper;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A page that is open for long on the server of an application which has a login page. */
class GuardedBrowserTest {

  @TempDir Path directory;
  private volatile boolean signedIn = true;

  /** Sends who is not signed in to the login page, whatever they ask for, as many do. */
  private final class Guard implements Filter {
    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
        throws IOException, ServletException {
      HttpServletRequest http = (HttpServletRequest) request;
      if (http.getRequestURI().equals("/pawl/login")) {
        response.setContentType("text/html");
        response.getWriter().write("<!doctype html><title>Login</title><h1>The login page</h1>");
      } else if (!signedIn) {
        ((HttpServletResponse) response).sendRedirect("/pawl/login");
      } else {
        chain.doFilter(
            new HttpServletRequestWrapper(http) {
              @Override
              public Principal getUserPrincipal() {
                return () -> "olga";
              }
            },
            response);
      }
    }
  }

  @Test
  void theApplicationIsAskedAgainWhoItIs() throws Exception {
    Hands clock = new Hands();
    Tomcat tomcat = new Tomcat();
    tomcat.setBaseDir(directory.toString());
    tomcat.setPort(0);
    try (Pawl pawl = Pawl.builder("memory:").label("app@one").build();
        Browser browser = Browser.start("en")) {
      ConsoleServlet servlet =
          new ConsoleServlet(
              new StoreWatch(OpenStore.of(pawl)),
              Access.ofContainer("OPERATOR"),
              new Sessions(Sessions.newKey(), Duration.ofHours(8), clock),
              Hosts.any());
      String url = serve(tomcat, servlet);
      Lease first = pawl.lock("first").acquire();
      browser.open(url);
      browser.find("[data-name='first']");

      // Still signed in: the page is told on, by another connection, and says nothing of it.
      browser.run(
          "window.offline = 0; new MutationObserver(() => window.offline += "
              + "document.getElementById('server-gone') ? 1 : 0)"
              + ".observe(document.getElementById('banner'), {childList: true})");
      int opened = opened(browser);
      clock.putForward(120);
      browser.await("not opened again", () -> opened(browser) > opened);
      Lease second = pawl.lock("second").acquire();
      browser.find("[data-name='second']");
      assertThat(browser.run("return window.offline")).isEqualTo(0L);

      // Signed out of the application: nothing more is shown, and the way in is the application's.
      signedIn = false;
      clock.putForward(120);
      browser.find("#sign-in-there");
      assertThat(browser.all("[data-name]")).isEmpty();
      browser.click("#sign-in-there");
      browser.awaitText("The login page");
      signedIn = true;
      browser.open(url);
      browser.find("[data-name='second']");
      assertThat(first.isHeld() && second.isHeld()).isTrue();
    } finally {
      tomcat.stop();
      tomcat.destroy();
    }
  }

  /** How often the page has asked who it is: before each connection but the first. */
  private static int opened(Browser browser) {
    Object count =
        browser.run(
            "return performance.getEntriesByType('resource')"
                + ".filter((each) => each.name.includes('/session')).length");
    return ((Long) count).intValue();
  }

  private String serve(Tomcat tomcat, ConsoleServlet servlet) throws Exception {
    var context = tomcat.addContext("", directory.toString());
    Wrapper wrapper = Tomcat.addServlet(context, "console", servlet);
    wrapper.setAsyncSupported(true);
    wrapper.addMapping("/pawl/*");
    FilterDef guard = new FilterDef();
    guard.setFilterName("guard");
    guard.setFilter(new Guard());
    guard.setAsyncSupported("true");
    context.addFilterDef(guard);
    FilterMap map = new FilterMap();
    map.setFilterName("guard");
    map.addURLPattern("/*");
    context.addFilterMap(map);
    tomcat.getConnector();
    tomcat.start();
    return "http://localhost:" + tomcat.getConnector().getLocalPort() + "/pawl/";
  }
}
