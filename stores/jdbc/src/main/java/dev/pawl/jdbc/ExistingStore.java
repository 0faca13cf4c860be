package dev.pawl.jdbc;

import dev.pawl.jdbc.connect.Connections;
import dev.pawl.jdbc.connect.UrlDataSource;
import dev.pawl.jdbc.dialect.Dialect;
import dev.pawl.jdbc.dialect.ServerTraits;
import dev.pawl.jdbc.schema.Schema;
import dev.pawl.spi.AbsentStore;
import dev.pawl.spi.Finding;
import dev.pawl.spi.LockStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The way to a store that is only looked at: no file and no table is created for that. */
final class ExistingStore {

  private ExistingStore() {}

  static LockStore open(String url) {
    JdbcUrl parsed = JdbcUrl.parse(url, JdbcOptions.DEFAULT);
    JdbcOptions options = parsed.options();
    Dialect dialect = SqlDatabase.dialect(parsed.jdbc());
    UrlDataSource source =
        UrlDataSource.of(parsed.jdbc(), dialect, options.timeout(), options.poolSize());
    Optional<Path> file = dialect.file(parsed.jdbc());
    if (file.isPresent() && !Files.exists(file.get())) {
      return new MissingFile(source.toString(), file.get());
    }
    source.changeNothing();
    return Opening.connect(source, (connections, traits) -> open(connections, traits, options));
  }

  private static LockStore open(Connections connections, ServerTraits traits, JdbcOptions options) {
    try {
      return new Schema(connections, traits.dialect(), options.tables(), false).exists()
          ? new JdbcStore(connections, traits, options, true)
          : new MissingTables(connections, traits.dialect(), options);
    } catch (RuntimeException e) {
      connections.close();
      throw e;
    }
  }

  /** A database without our tables. */
  private static final class MissingTables extends AbsentStore {
    private final Connections connections;
    private final Dialect dialect;
    private final JdbcOptions options;

    MissingTables(Connections connections, Dialect dialect, JdbcOptions options) {
      super(connections.describe() + " (" + options.strategy() + ")");
      this.connections = connections;
      this.dialect = dialect;
      this.options = options;
    }

    @Override
    public boolean blocking() {
      return true;
    }

    @Override
    public CompletionStage<Long> nowMicros() {
      return JdbcStore.stage(() -> JdbcStore.nowMicros(connections, dialect));
    }

    @Override
    public CompletionStage<List<Finding>> examine() {
      return JdbcStore.stage(
          () -> connections.read("examine", c -> JdbcExamination.ofEmpty(c, dialect, options)));
    }

    @Override
    public void close() {
      connections.close();
    }
  }

  /** A file that is not there; its clock would be that of this host. */
  private static final class MissingFile extends AbsentStore {
    private final Path file;

    MissingFile(String describe, Path file) {
      super(describe);
      this.file = file;
    }

    @Override
    public CompletionStage<Long> nowMicros() {
      return CompletableFuture.completedFuture(
          ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()));
    }

    @Override
    public CompletionStage<List<Finding>> examine() {
      Path directory = file.toAbsolutePath().getParent();
      return CompletableFuture.completedFuture(
          List.of(
              directory != null && Files.isWritable(directory)
                  ? Finding.fine("there is no file " + file + " yet; the first lock creates it")
                  : Finding.unsafe(
                      "there is no file " + file + ", and no directory to create it in",
                      "the first lock needs a directory that this user may write to",
                      "create " + directory + ", or name another file")));
    }

    @Override
    public void close() {}
  }
}
