package dev.pawl.spring.boot;

import dev.pawl.LockOptions;
import dev.pawl.spring.PawlDefaults;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties {@code pawl.*}; what each means is in the metadata that editors show.
 *
 * @param enabled whether there is a node, and the annotations do anything
 * @param store the URL of the store
 * @param storeBean the name of the bean that the store stands on, where there are several
 * @param label the name of this node for people
 * @param responseTimeout how long the store may leave a call without an answer
 * @param events whether lock events are published as application events
 * @param defaults what locks and jobs do where they do not say
 * @param jdbc how locks are kept in a database
 * @param console the page to see who holds what, and to step in
 */
@ConfigurationProperties("pawl")
public record PawlProperties(
    @DefaultValue("true") boolean enabled,
    @Nullable String store,
    @Nullable String storeBean,
    @Nullable String label,
    @Nullable Duration responseTimeout,
    @DefaultValue("true") boolean events,
    @DefaultValue Defaults defaults,
    @DefaultValue Jdbc jdbc,
    @DefaultValue Console console) {

  /**
   * {@code pawl.defaults.*}.
   *
   * @param lease how long the store keeps a lock for a node that has died
   * @param fair whether locks are granted in the order of the requests
   * @param waitFor how long {@code @Locked} waits
   * @param atMostFor when a run of a job loses its lease
   * @param atLeastFor how long a job is kept from the start of a run
   * @param retryElsewhere how often a tick that failed is left to another node
   */
  public record Defaults(
      @Nullable Duration lease,
      @Nullable Boolean fair,
      @Nullable Duration waitFor,
      @Nullable Duration atMostFor,
      @Nullable Duration atLeastFor,
      @DefaultValue("0") int retryElsewhere) {

    LockOptions options() {
      LockOptions options = LockOptions.DEFAULT;
      if (lease != null) {
        options = options.withLease(lease);
      }
      return fair == null ? options : options.withFair(fair);
    }

    PawlDefaults ofAnnotations() {
      return new PawlDefaults(
          Optional.ofNullable(waitFor),
          Optional.ofNullable(atMostFor),
          Optional.ofNullable(atLeastFor),
          retryElsewhere);
    }
  }

  /**
   * {@code pawl.jdbc.*}: as {@code dev.pawl.jdbc.JdbcOptions}, of which this is not one, so that it
   * can be read without {@code pawl-jdbc}.
   *
   * @param strategy what a lock is in the database
   * @param schema the schema of the tables
   * @param prefix what the names of the tables begin with
   * @param createSchema whether missing tables are created
   * @param retention how long the record of an idle name is kept
   * @param poolSize how many connections a pool for a URL has at most
   * @param timeout how long one statement may take
   */
  public record Jdbc(
      @Nullable String strategy,
      @Nullable String schema,
      @Nullable String prefix,
      @Nullable Boolean createSchema,
      @Nullable Duration retention,
      @Nullable Integer poolSize,
      @Nullable Duration timeout) {}

  /**
   * {@code pawl.console.*}: the console, where {@code pawl-console} is there.
   *
   * @param path the path of the page; without one there is none
   * @param operatorRole the role of those who may step in; who has a principal may look
   */
  public record Console(@Nullable String path, @DefaultValue("OPERATOR") String operatorRole) {

    String mapping() {
      String text = path == null ? "" : path.strip();
      String trimmed = text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
      if (!trimmed.matches("(/[A-Za-z0-9._~-]+)+")) {
        throw new IllegalArgumentException(
            "pawl.console.path is \"" + path + "\"; it has to be a path such as /pawl");
      }
      return trimmed + "/*";
    }
  }
}
