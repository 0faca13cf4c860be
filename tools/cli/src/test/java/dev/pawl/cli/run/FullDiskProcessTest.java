package dev.pawl.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.pawl.cli.PawlProcess;
import dev.pawl.cli.PawlProcess.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A SQLite file on a disk that is full, and has space again: a file system of 400 KB of its own,
 * which a user may mount in a namespace of his own.
 */
@Tag("safety")
class FullDiskProcessTest {

  private static final String IN_A_NAMESPACE = "unshare --map-root-user --mount bash -c \"$BODY\"";
  private static final String FILL = "cat /dev/zero > $DISK/fill 2>/dev/null;";

  /** Two at a time would find the directory of the other. */
  private static final String ALONE =
      "'mkdir $SCRATCH/one || echo TWO; sleep 0.2; rmdir $SCRATCH/one; echo ran'";

  @TempDir Path directory;
  private Path disk;

  @BeforeEach
  void findOutWhetherADiskCanBeMounted() throws Exception {
    disk = Files.createDirectories(directory.resolve("disk"));
    assumeThat(inANamespace("true").code()).as("a user may mount a tmpfs here").isZero();
  }

  /** Whether there is room for nothing, or for the files beside it and a few pages. */
  @Test
  void nobodyGetsALockThatCannotBeWritten() {
    Result result =
        inANamespace(
            """
            $PAWL run a -- true || exit 1
            for left in 0 40; do
              %s
              truncate --size=-${left}K $DISK/fill
              for i in 1 2 3; do
                ( $PAWL run one -w 8s --lease 3s -- sh -c %s; echo "code $?" ) &
              done
              wait
              rm $DISK/fill
              $PAWL run one -w 1m -- true; echo "recovered $?"
              $PAWL ls --quiet
            done
            """
                .formatted(FILL, ALONE));
    List<String> lines = result.out().lines().toList();
    assertThat(lines).as("%s", result).isSubsetOf("ran", "code 0", "code 69", "recovered 0");
    assertThat(lines.stream().filter(line -> line.equals("recovered 0"))).hasSize(2);
    assertThat(lines.stream().filter("ran"::equals).count())
        .isEqualTo(lines.stream().filter("code 0"::equals).count());
    assertThat(lines).contains("code 69");
    assertThat(result.err().lines())
        .allSatisfy(line -> assertThat(line).startsWith("pawl: ").contains("disk"));
  }

  @Test
  void aCommandWhoseLeaseCannotBeWrittenIsEndedInTime() {
    Result result =
        inANamespace(
            """
            ( $PAWL run one --lease 3s -- sh -c 'echo $$ > $SCRATCH/pid; exec sleep 300' ; echo "code $?" ) &
            until [ -s $SCRATCH/pid ]; do sleep 0.05; done
            %s
            wait
            kill -0 $(cat $SCRATCH/pid) 2>/dev/null && echo "still there"
            rm $DISK/fill
            $PAWL run one -w 1m -- true; echo "recovered $?"
            """
                .formatted(FILL));
    assertThat(result.out().lines()).as("%s", result).containsExactly("code 76", "recovered 0");
  }

  private Result inANamespace(String body) {
    Map<String, String> environment =
        Map.of(
            "DISK",
            disk.toString(),
            "SCRATCH",
            directory.toString(),
            "PAWL_STORE",
            "sqlite:" + disk.resolve("locks.db"),
            "BODY",
            "mount -t tmpfs -o size=400k tmpfs $DISK || exit 1\n" + body);
    try (PawlProcess bash = PawlProcess.startBash(environment, IN_A_NAMESPACE)) {
      return bash.await();
    }
  }
}
