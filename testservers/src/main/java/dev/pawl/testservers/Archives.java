package dev.pawl.testservers;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.file.FileSystemException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.tukaani.xz.XZInputStream;

/** Programs packed into jars, unpacked once for a machine and kept in its temporary directory. */
final class Archives {

  private static final int DELETE_ATTEMPTS = 1_000;
  private static final long DELETE_PAUSE_NANOS = 20_000_000;

  private Archives() {}

  /** Unpacks {@code resource}, a tar.xz. */
  static Path ofTar(String name, String resource) {
    return ofTar(name, resource, XZInputStream::new);
  }

  /** Unpacks {@code resource}, a tar.gz. */
  static Path ofGzippedTar(String name, String resource) {
    return ofTar(name, resource, GZIPInputStream::new);
  }

  private static Path ofTar(String name, String resource, Decompression decompression) {
    return unpackOnce(
        name,
        directory -> {
          try (InputStream packed = resource(resource).openStream();
              InputStream tar = decompression.of(packed)) {
            Process untar =
                new ProcessBuilder(List.of("tar", "-x", "-C", directory.toString()))
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            try (OutputStream to = untar.getOutputStream()) {
              tar.transferTo(to);
            }
            await(untar);
          }
        });
  }

  /** Unpacks the files below {@code root} of the jar that has {@code root + resource}. */
  static Path ofJar(String name, String root, String resource) {
    return unpackOnce(
        name,
        directory -> {
          JarURLConnection connection =
              (JarURLConnection) resource(root + resource).openConnection();
          connection.setUseCaches(false);
          try (JarFile jar = connection.getJarFile()) {
            for (JarEntry entry : jar.stream().toList()) {
              if (!entry.isDirectory() && entry.getName().startsWith(root)) {
                Path file = directory.resolve(entry.getName().substring(root.length()));
                Files.createDirectories(file.getParent());
                try (InputStream content = jar.getInputStream(entry)) {
                  Files.copy(content, file);
                }
                Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
              }
            }
          }
        });
  }

  /** Makes a directory that the unprivileged user of a server may write to. */
  static Path directory(String prefix) {
    try {
      Path directory = Files.createTempDirectory(prefix);
      if (ServerProcess.isRoot()) {
        await(new ProcessBuilder("chown", "65534:65534", directory.toString()).start());
      }
      return directory;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Deletes a directory with everything in it, also while a dying server still writes there. */
  static void delete(Path directory) {
    for (int attempt = 1; Files.exists(directory); attempt++) {
      try {
        Files.walkFileTree(directory, new Deletion());
      } catch (IOException e) {
        if (attempt == DELETE_ATTEMPTS) {
          throw new UncheckedIOException(e);
        }
        LockSupport.parkNanos(DELETE_PAUSE_NANOS);
      }
    }
  }

  private static final class Deletion extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Files.deleteIfExists(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path each, @Nullable IOException e)
        throws IOException {
      Files.deleteIfExists(each);
      return FileVisitResult.CONTINUE;
    }
  }

  private static URL resource(String name) {
    URL url = Archives.class.getClassLoader().getResource(name);
    if (url == null) {
      throw new IllegalStateException("not on the class path: " + name);
    }
    return url;
  }

  /** Has {@code name} unpacked, unless it was before; several processes may do so at once. */
  static Path unpackOnce(String name, Unpacking unpacking) {
    Path home = Path.of(System.getProperty("java.io.tmpdir"), "pawl-test-servers");
    Path done = home.resolve(name);
    if (Files.isDirectory(done)) {
      return done;
    }
    try {
      Files.createDirectories(home);
      Path unpacked = Files.createTempDirectory(home, name);
      Files.setPosixFilePermissions(unpacked, PosixFilePermissions.fromString("rwxr-xr-x"));
      unpacking.into(unpacked);
      try {
        Files.move(unpacked, done, StandardCopyOption.ATOMIC_MOVE);
      } catch (FileSystemException e) {
        delete(unpacked);
        if (!Files.isDirectory(done)) {
          throw e;
        }
        // Another process was faster. Which exception that is differs from system to system.
      }
      return done;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void await(Process process) throws IOException {
    try {
      if (process.waitFor() != 0) {
        throw new IOException(process.info() + " failed with " + process.exitValue());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  @FunctionalInterface
  private interface Decompression {
    InputStream of(InputStream packed) throws IOException;
  }

  @FunctionalInterface
  interface Unpacking {
    void into(Path directory) throws IOException;
  }
}
