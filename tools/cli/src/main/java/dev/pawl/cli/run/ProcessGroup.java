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
import java.util.concurrent.locks.LockSupport;

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

  /** How often it is tried: those who are killed one by one may have started others. */
  private static final int MOST_ROUNDS = 1_000;

  private static final long ROUND_NANOS = 1_000_000;

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
    for (int round = 0; round < MOST_ROUNDS && isAlive(); round++) {
      try {
        new ProcessBuilder("sh", "-c", "kill -s KILL -- -" + id)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start()
            .waitFor();
        return;
      } catch (IOException e) {
        // No process can be started: its own may be the reason, and make room for one.
        killOneByOne();
        LockSupport.parkNanos(ROUND_NANOS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  /** Kills, without another process, those that are there now; they may have started others. */
  void killOneByOne() {
    for (Member member : members()) {
      ProcessHandle.of(member.pid())
          .filter(handle -> isMember(member.pid())) // And no other, of the same number since.
          .ifPresent(ProcessHandle::destroyForcibly);
    }
  }

  private boolean isMember(long pid) {
    List<Member> found = new ArrayList<>();
    addIfMember(proc.resolve("" + pid), found);
    return found.stream().anyMatch(member -> !member.name().equals(UNREADABLE));
  }
}
