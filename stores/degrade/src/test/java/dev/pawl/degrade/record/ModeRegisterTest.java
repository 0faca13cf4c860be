package dev.pawl.degrade.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.PawlException;
import dev.pawl.degrade.protocol.Change;
import dev.pawl.degrade.protocol.Member;
import dev.pawl.degrade.protocol.Mode;
import dev.pawl.degrade.protocol.ModeRecord;
import dev.pawl.degrade.protocol.Sight;
import dev.pawl.degrade.protocol.Stores;
import dev.pawl.degrade.protocol.Tokens;
import dev.pawl.memory.MemoryStore;
import dev.pawl.spi.Register;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ModeRegisterTest {

  private static final Stores STORES = new Stores("redis at cache:6379", "PostgreSQL at db/app");

  private final MemoryStore backup = new MemoryStore();
  private final ModeRegister register = new ModeRegister(backup.registers(), STORES);

  @AfterEach
  void close() {
    backup.close();
  }

  @Test
  void aPairThatWasNeverUsedIsInItsPrimary() {
    assertThat(get(register.read()).record()).isEqualTo(ModeRecord.first(STORES));
  }

  @Test
  void aChangeIsReadByTheOtherNodes() {
    ModeRegister.Seen seen = get(register.read());
    ModeRegister.Outcome outcome = get(register.change(seen, join("a")));
    assertThat(outcome).isInstanceOf(ModeRegister.Made.class);
    ModeRegister other = new ModeRegister(backup.registers(), STORES);
    assertThat(get(other.read())).isEqualTo(((ModeRegister.Made) outcome).now());
  }

  @Test
  void ofTwoWhoHaveSeenTheSameOnlyOneMakesHisChange() {
    ModeRegister.Seen seen = get(register.read());
    assertThat(get(register.change(seen, join("a")))).isInstanceOf(ModeRegister.Made.class);
    ModeRegister.Outcome second = get(register.change(seen, join("b")));
    assertThat(second).isInstanceOf(ModeRegister.Overtaken.class);
    ModeRegister.Seen now = ((ModeRegister.Overtaken) second).now();
    assertThat(now.record().member("a")).isPresent();
    assertThat(get(register.change(now, join("b")))).isInstanceOf(ModeRegister.Made.class);
  }

  @Test
  void whatTheRecordDoesNotAllowIsNotSent() {
    ModeRegister.Seen seen = get(register.read());
    assertThat(get(register.change(seen, new Change.Complete(7, 0))))
        .isInstanceOf(ModeRegister.Refused.class);
    assertThat(get(register.read())).isEqualTo(seen);
  }

  @Test
  void everyPartOfTheRecordIsWrittenAndRead() {
    for (Mode mode : Mode.values()) {
      ModeRecord record =
          new ModeRecord(
              STORES,
              7,
              6,
              mode,
              6,
              4,
              new Tokens(1L << 50, 12, 1L << 51),
              99,
              List.of(
                  new Member("7f3a", true, 98, 7, true, Sight.DEAD),
                  new Member("81cc", false, 99, 5, false, Sight.WELL)),
              3,
              mode == Mode.LEAVING,
              "a person's reason \\n in two\nlines\r, and 失效");
      assertThat(RecordText.read(RecordText.write(record))).isEqualTo(record);
    }
  }

  @Test
  void fiveHundredNodesFitIntoARegister() {
    List<Member> members = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      members.add(
          new Member("%032x".formatted(i), true, 1L << 40, 1_000_000 + i, true, Sight.WELL));
    }
    ModeRecord first = ModeRecord.first(STORES);
    ModeRecord record =
        new ModeRecord(
            STORES, 1, 1, Mode.PRIMARY, 1, 0, first.tokens(), 1L << 40, members, 0, false, "");
    assertThat(RecordText.write(record).length()).isLessThan(Register.MAX_BYTES);
  }

  @Test
  void aRecordOfAnotherVersionSaysSo() {
    assertThatThrownBy(() -> RecordText.read("pawl-pair 2\nepoch 1 1\n"))
        .isInstanceOf(PawlException.class)
        .hasMessageContaining("pawl-pair 2")
        .hasMessageContaining("the same version of Pawl");
    assertThatThrownBy(() -> RecordText.read("pawl-pair 1\nepoch one\n"))
        .isInstanceOf(PawlException.class)
        .hasMessageContaining("something else has written");
  }

  private static Change join(String node) {
    return new Change.Join(node, true, STORES);
  }

  private static <T> T get(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }
}
