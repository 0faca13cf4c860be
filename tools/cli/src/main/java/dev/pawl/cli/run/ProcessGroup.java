package dev.pawl.cli.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A process group, as {@code /proc} shows it. */
record ProcessGroup(long id) {

  private static final Path PROC = Path.of("/proc");

  /** One process of it, for people. */
  record Member(String name, long pid) {
    @Override
    public String toString() {
      return name + " " + pid;
    }
  }

  /**
   * Returns its processes. One that has ended and that nobody has waited for is none: it does
   * nothing any more, and in a container nobody may ever wait for it.
   */
  List<Member> members() {
    List<Member> members = new ArrayList<>();
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
      for (Path process : processes) {
        addIfMember(process, members);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list " + PROC, e);
    }
    return members;
  }

  boolean isAlive() {
    return !members().isEmpty();
  }

  private void addIfMember(Path process, List<Member> members) {
    try {
      String stat = Files.readString(process.resolve("stat"), StandardCharsets.ISO_8859_1);
      int end = stat.lastIndexOf(')');
      String[] fields = stat.substring(end + 2).split(" ", 4);
      boolean hasEnded = fields[0].equals("Z") || fields[0].equals("X");
      if (!hasEnded && Long.parseLong(fields[2]) == id) {
        String name = stat.substring(stat.indexOf('(') + 1, end);
        members.add(new Member(name, Long.parseLong(process.getFileName().toString())));
      }
    } catch (IOException e) {
      // It has ended while we looked.
    }
  }

  /** Kills every process of it; for want of a leash. */
  void kill() {
    try {
      new ProcessBuilder("sh", "-c", "kill -s KILL -- -" + id)
          .redirectError(ProcessBuilder.Redirect.DISCARD)
          .start()
          .waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot kill process group " + id, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
