package dev.pawl.cli.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A process group, as {@code /proc} shows it.
 *
 * @param id the number of its leader
 * @param proc where that is
 */
record ProcessGroup(long id, Path proc) {

  ProcessGroup(long id) {
    this(id, Path.of("/proc"));
  }

  /** The name of a process that cannot be read. */
  private static final String UNREADABLE = "unreadable";

  /** How often it is looked who is left: those who are killed one by one may start others. */
  private static final int MOST_ROUNDS = 1_000;

  /** One process of it, for people. */
  record Member(String name, long pid) {
    @Override
    public String toString() {
      return name + " " + pid;
    }
  }

  /**
   * Returns its processes. One that has ended and that nobody has waited for is none: it does
   * nothing any more, and in a container nobody may ever wait for it. One that cannot be read, for
   * want of file descriptors say, may be one, and counts until it can be. Those of other users that
   * the system hides ({@code hidepid}) are not seen.
   */
  List<Member> members() {
    List<Member> members = new ArrayList<>();
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(proc, "[0-9]*")) {
      for (Path process : processes) {
        addIfMember(process, members);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list " + proc, e);
    }
    return members;
  }

  boolean isAlive() {
    return !members().isEmpty();
  }

  private void addIfMember(Path process, List<Member> members) {
    long pid = Long.parseLong(process.getFileName().toString());
    try {
      String stat = Files.readString(process.resolve("stat"), StandardCharsets.ISO_8859_1);
      int end = stat.lastIndexOf(')');
      String[] fields = stat.substring(end + 2).split(" ", 4);
      boolean hasEnded = fields[0].equals("Z") || fields[0].equals("X");
      if (!hasEnded && Long.parseLong(fields[2]) == id) {
        String name = stat.substring(stat.indexOf('(') + 1, end);
        members.add(new Member(name, pid));
      }
    } catch (AccessDeniedException e) {
      // Of another user, whom we could not end either.
    } catch (IOException e) {
      if (Files.exists(process)) { // Otherwise it has ended while we looked.
        members.add(new Member(UNREADABLE, pid));
      }
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
      killOneByOne(); // No process can be started: its own may be the reason.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The same without another process. */
  void killOneByOne() {
    for (int round = 0; round < MOST_ROUNDS; round++) {
      List<Member> left =
          members().stream().filter(member -> !member.name().equals(UNREADABLE)).toList();
      if (left.isEmpty()) {
        return;
      }
      left.forEach(
          member -> ProcessHandle.of(member.pid()).ifPresent(ProcessHandle::destroyForcibly));
    }
  }
}
