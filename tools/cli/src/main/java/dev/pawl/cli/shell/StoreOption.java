package dev.pawl.cli.shell;

import dev.pawl.Pawl;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The option that names the store, and the way to it. */
public final class StoreOption {

  static final String VARIABLE = "PAWL_STORE";

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  @Option(
      names = {"-s", "--store"},
      paramLabel = "URL",
      description = {
        "Where the locks are: sqlite:FILE, jdbc:…, redis://…, redlock://…; PAWL_STORE unless told,"
            + " and without both a SQLite file in your data directory."
      })
  private @Nullable String url;

  /** Starts a node that other people see as {@code app@host:pid}. */
  public Pawl connect(String app) {
    return builder(app).build();
  }

  /** Starts the configuration of a node that other people see as {@code app@host:pid}. */
  public Pawl.Builder builder(String app) {
    return Pawl.builder(url()).label(app + "@" + host() + ":" + ProcessHandle.current().pid());
  }

  /** Returns the URL of the store, which may have a secret in it. */
  public String url() {
    if (url != null) {
      return url;
    }
    String variable = System.getenv(VARIABLE);
    return variable == null || variable.isBlank() ? ownFile() : variable;
  }

  private String ownFile() {
    Path file = dataDirectory(System.getenv()).resolve("locks.db");
    if (!Files.exists(file)) {
      try {
        Files.createDirectories(file.getParent());
      } catch (IOException e) {
        throw new Refusal(
            ExitCode.UNAVAILABLE,
            "cannot make the directory of " + file + " (" + e + "); name a store with --store");
      }
      if (command != null) {
        Screen.of(command)
            .remark(
                "no --store and no " + VARIABLE + ": the locks are in " + file + ", for this host");
      }
    }
    return "sqlite:" + file;
  }

  private static Path dataDirectory(Map<String, String> environment) {
    String data = environment.getOrDefault("XDG_DATA_HOME", "");
    Path home = Path.of(System.getProperty("user.home"));
    Path base = data.isBlank() ? home.resolve(".local/share") : Path.of(data);
    return base.resolve("pawl");
  }

  /** Returns the name of this host, as other people see it. */
  public static String host() {
    String host = System.getenv("HOSTNAME");
    if (host != null && !host.isBlank()) {
      return host;
    }
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "localhost";
    }
  }
}
