package dev.pawl.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class ProcessGroupTest {

  private static Process start(String line) throws IOException {
    return new ProcessBuilder("setsid", "sh", "-c", line).start();
  }

  @Test
  void itLivesAsLongAsAnyOfItsProcesses() throws Exception {
    Process leader = start("sleep 300 & read line");
    ProcessGroup group = new ProcessGroup(leader.pid());
    try {
      Commands.await(() -> group.members().size() == 2);
      leader.getOutputStream().close();
      leader.waitFor();
      assertThat(group.isAlive()).isTrue();
      assertThat(group.members()).extracting(ProcessGroup.Member::name).containsExactly("sleep");
    } finally {
      group.kill();
    }
    Commands.await(() -> !group.isAlive());
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
}
