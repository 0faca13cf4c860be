package dev.pawl.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessGroupTest {

  private static Process start(String line) throws IOException {
    return new ProcessBuilder("setsid", "sh", "-c", line).start();
  }

  private static List<String> names(ProcessGroup group) {
    return group.members().stream().map(ProcessGroup.Member::name).sorted().toList();
  }

  @Test
  void itLivesAsLongAsAnyOfItsProcesses() throws Exception {
    Process leader = start("sleep 300 & read line");
    ProcessGroup group = new ProcessGroup(leader.pid());
    try {
      // The child is another sh until it has become sleep.
      Commands.await(() -> names(group).equals(List.of("sh", "sleep")));
      leader.getOutputStream().close();
      leader.waitFor();
      assertThat(group.isAlive()).isTrue();
      assertThat(names(group)).containsExactly("sleep");
    } finally {
      group.kill();
    }
    Commands.await(() -> !group.isAlive());
  }

  /** The command itself may have used up what the host gives. */
  @Test
  void itIsKilledAlsoWhereNoProcessCanBeStarted() throws Exception {
    Process leader = start("trap '' TERM; sleep 300 & (sleep 300 & wait) & wait");
    ProcessGroup group = new ProcessGroup(leader.pid());
    try {
      Commands.await(() -> names(group).equals(List.of("sh", "sh", "sleep", "sleep")));
      group.killOneByOne();
      Commands.await(() -> !group.isAlive());
    } finally {
      group.kill();
    }
  }

  @Test
  void aProcessThatNobodyWaitsForHasEndedAllTheSame() throws Exception {
    // The child has left the group of its parent, and ends when that has become one that never
    // waits for it: a shell would.
    Process parent =
        start(
            "setsid sh -c 'while grep -q sh /proc/$PPID/comm; do :; done' &"
                + " echo $!; exec sleep 300");
    try {
      long child = Long.parseLong(parent.inputReader().readLine());
      Commands.await(() -> Commands.isZombie(child));
      assertThat(new ProcessGroup(child).isAlive()).isFalse();
    } finally {
      parent.destroyForcibly();
    }
  }

  /** Whoever takes what it cannot read for ended lets the lock go while the command still runs. */
  @Test
  void whatCannotBeReadHasNotEnded(@TempDir Path proc) throws Exception {
    Path unreadable = Files.createDirectories(proc.resolve("7/stat"));
    Path of = Files.createDirectory(proc.resolve("8"));
    Files.writeString(of.resolve("stat"), "8 (sleep) S 1 7 7 0 -1");
    Path other = Files.createDirectory(proc.resolve("9"));
    Files.writeString(other.resolve("stat"), "9 (sleep) S 1 9 9 0 -1");
    // What is left of one that ended between the list and the look.
    Files.createSymbolicLink(proc.resolve("10"), proc.resolve("gone"));
    ProcessGroup group = new ProcessGroup(7, proc);
    assertThat(group.members())
        .containsExactlyInAnyOrder(
            new ProcessGroup.Member("unreadable", 7), new ProcessGroup.Member("sleep", 8));
    Files.delete(unreadable);
    Files.delete(proc.resolve("7"));
    Files.delete(of.resolve("stat"));
    Files.delete(of);
    assertThat(group.isAlive()).isFalse();
  }
}
