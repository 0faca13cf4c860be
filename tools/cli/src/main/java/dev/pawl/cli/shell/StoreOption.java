package dev.pawl.cli.shell;

import dev.pawl.Pawl;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The options that name the store, and the way to it. */
public final class StoreOption {

  /** The options, by their long names. */
  static final Set<String> NAMES = Set.of("--store", "--store-file", "--profile");

  private static final Duration FILE_RESPONSE = Duration.ofMinutes(1);

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  @Option(
      names = {"-s", "--store"},
      paramLabel = "URL",
      description = {
        "Where the locks are: sqlite:FILE, jdbc:…, redis://…, redlock://…, zk://…, hazelcast://…;"
            + " a primary and its backup as 'URL | URL'. Default: PAWL_STORE, PAWL_STORE_FILE or"
            + " PAWL_PROFILE, then the profile named default, then a SQLite file in your data"
            + " directory."
      })
  private @Nullable String url;

  @Option(
      names = "--store-file",
      paramLabel = "FILE",
      description = "Read the URL from a file, so that no secret is among the arguments.")
  private @Nullable String file;

  @Option(
      names = "--profile",
      paramLabel = "PROFILE",
      description = "Use the URL of that name in ~/.config/pawl/profiles (lines like NAME = URL).")
  private @Nullable String profile;

  private @Nullable StoreAddress address;

  /** Starts a node that other people see as {@code app@host:pid}. */
  public Pawl connect(String app) {
    return builder(app).build();
  }

  /** Starts the configuration of a node that other people see as {@code app@host:pid}. */
  public Pawl.Builder builder(String app) {
    if (StoreAddress.parts(url()).stream().anyMatch(StoreOption::isOfOneProcess)) {
      throw Refusal.usage(
          shownUrl()
              + " is in the memory of this process, where it locks nobody out; name a store that"
              + " others see, too");
    }
    missingOwnFile().ifPresent(this::makeOwnFile);
    return builder(address(), app);
  }

  /** Tells whether nobody else can see what is in a store. */
  private static boolean isOfOneProcess(String url) {
    return url.startsWith("memory:") || url.startsWith("jdbc:h2:mem:");
  }

  /** Starts a node that looks at the store as it is; nothing is created. */
  public Pawl look(String app) {
    return builder(address(), app).existingStore().build();
  }

  /** One of the stores of a pair. */
  public enum Part {
    PRIMARY,
    BACKUP
  }

  /** Tells whether it is a primary and its backup. */
  public boolean isPair() {
    return StoreAddress.parts(url()).size() > 1;
  }

  /** Starts a node that looks at one store of a pair, and at nothing else. */
  public Pawl lookAt(Part part, String app) {
    return labelled(Pawl.builder(StoreAddress.parts(url()).get(part == Part.PRIMARY ? 0 : 1)), app)
        .existingStore()
        .build();
  }

  private static Pawl.Builder builder(StoreAddress address, String app) {
    Pawl.Builder builder = labelled(Pawl.builder(address.urlOfCommand()), app);
    // A file is never silent; a machine on which dozens of these start at once is slow.
    return address.isFile() ? builder.responseTimeout(FILE_RESPONSE) : builder;
  }

  private static Pawl.Builder labelled(Pawl.Builder builder, String app) {
    return builder.label(app + "@" + host() + ":" + ProcessHandle.current().pid());
  }

  /** Returns the URL of the store without secrets. */
  public String shownUrl() {
    return Secrets.redact(url());
  }

  /** Returns the URL of the store, which may have a secret in it. */
  public String url() {
    return address().url();
  }

  /**
   * Tells a {@code pawl} inside a command which store this is.
   *
   * @param environment that of the command
   * @param withSecret whether a URL with a secret is handed on; otherwise that {@code pawl} refuses
   */
  public void handOn(Map<String, String> environment, boolean withSecret) {
    address().putInto(environment, withSecret);
  }

  private StoreAddress address() {
    if (address == null) {
      address = find(System.getenv());
    }
    return address;
  }

  private StoreAddress find(Map<String, String> environment) {
    for (StoreOption each : nearestFirst()) {
      Optional<StoreAddress> named = each.named(environment);
      if (named.isPresent()) {
        return named.get();
      }
    }
    return StoreAddress.ofEnvironment(environment);
  }

  /** Returns these options and those before them on the line: {@code pawl --store URL ls}. */
  private List<StoreOption> nearestFirst() {
    List<StoreOption> all = new ArrayList<>(List.of(this));
    @Nullable CommandSpec above = command == null ? null : command.parent();
    for (; above != null; above = above.parent()) {
      for (CommandSpec mixin : above.mixins().values()) {
        if (mixin.userObject() instanceof StoreOption options) {
          all.add(options);
        }
      }
    }
    return all;
  }

  private Optional<StoreAddress> named(Map<String, String> environment) {
    if (Stream.of(url, file, profile).filter(Objects::nonNull).count() > 1) {
      throw Refusal.usage("--store, --store-file and --profile exclude each other");
    }
    if (url != null) {
      return Optional.of(StoreAddress.ofUrl(url));
    }
    if (file != null) {
      return Optional.of(StoreAddress.ofFile(file));
    }
    return Optional.ofNullable(profile).map(name -> StoreAddress.ofProfile(name, environment));
  }

  /** Makes the file before SQLite does, for nobody else to read. */
  private void makeOwnFile(Path path) {
    try {
      Files.createDirectories(
          path.getParent(),
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      Files.createFile(
          path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    } catch (FileAlreadyExistsException e) {
      return; // Another one was faster.
    } catch (IOException e) {
      throw new Refusal(
          ExitCode.UNAVAILABLE,
          "cannot make "
              + path
              + " to keep the locks in: "
              + Failures.reason(e)
              + "; name a store with --store or "
              + StoreAddress.URL);
    }
    remark("no store is named: the locks are in " + path + ", for this host alone");
  }

  /** Returns the file of a person who names no store, if it was not created yet. */
  public Optional<Path> missingOwnFile() {
    return address().isOwnFile()
        ? Optional.of(Path.of(url().substring("sqlite:".length())))
            .filter(path -> !Files.exists(path))
        : Optional.empty();
  }

  private void remark(String line) {
    if (command != null) {
      Screen.of(command).remark(line);
    }
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
