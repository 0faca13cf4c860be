package dev.pawl.jdbc.dialect;

import dev.pawl.jdbc.sql.Sql;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * The file of a SQLite database.
 *
 * @param fileSystem the type of file system it is on, such as {@code ext4}; empty if it is not
 *     known
 */
public record SqliteFile(String fileSystem) {

  /** File systems of another machine, as Linux and macOS call them. */
  private static final Set<String> REMOTE =
      Set.of(
          "9p",
          "afpfs",
          "afs",
          "ceph",
          "cifs",
          "coda",
          "glusterfs",
          "gpfs",
          "lustre",
          "ncpfs",
          "nfs",
          "nfs3",
          "nfs4",
          "smb",
          "smb2",
          "smb3",
          "smbfs",
          "vboxsf",
          "virtiofs",
          "webdav");

  /** What is mounted by a program of a user, such as {@code fuse.sshfs}, most often is as well. */
  private static final String FUSE = "fuse";

  static SqliteFile of(Connection connection) throws SQLException {
    Optional<Path> path = path(connection);
    try {
      return new SqliteFile(path.isEmpty() ? "" : Files.getFileStore(path.get()).type());
    } catch (IOException e) {
      return new SqliteFile("");
    }
  }

  /** Returns the file that a URL names. */
  static Path ofUrl(String url) {
    String path = url.substring("jdbc:sqlite:".length());
    int parameters = path.indexOf('?');
    path = parameters < 0 ? path : path.substring(0, parameters);
    return Path.of(path.startsWith("file:") ? path.substring("file:".length()) : path);
  }

  /** Returns the path of the file that a connection has open, if it is one. */
  static Optional<Path> path(Connection connection) throws SQLException {
    return Sql.all(
            connection,
            "PRAGMA database_list",
            result ->
                result.getString("name").equals("main") && result.getString("file") != null
                    ? result.getString("file")
                    : "")
        .stream()
        .filter(file -> !file.isEmpty())
        .findFirst()
        .map(Path::of);
  }

  /** Tells whether the file system may be one whose locks do not reach the other machines. */
  public boolean isRemote() {
    String type = fileSystem.toLowerCase(Locale.ROOT);
    return REMOTE.contains(type)
        || (type.startsWith(FUSE)
            && !type.equals("fuseblk")
            && !type.equals("fuse.fuse-overlayfs"));
  }
}
