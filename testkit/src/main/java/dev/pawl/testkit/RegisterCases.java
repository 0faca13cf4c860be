package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.OutcomeUnknownException;
import dev.pawl.spi.Capability;
import dev.pawl.spi.Listing;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.Register;
import dev.pawl.spi.RegisterReply;
import dev.pawl.spi.Registers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Registers: values that are kept until somebody changes them, and of whose changes none is lost.
 */
@Needs(Capability.REGISTERS)
abstract class RegisterCases extends SpiCases {

  private static final int CROWD = 8;
  private static final int WRITES_OF_EACH = 10;

  RegisterCases(StoreConformance suite) {
    super(suite);
  }

  @Test
  void aRegisterThatWasNeverWrittenIsAbsent() {
    assertThat(read(0, name())).isEqualTo(Register.absent(name()));
    assertThat(read(1, name()).version()).isZero();
  }

  @Test
  void whatIsWrittenIsReadByEveryInstance() {
    Register written = write(0, read(0, name()), "first");

    assertThat(written).isEqualTo(new Register(name(), 1, Optional.of("first")));
    assertThat(read(0, name())).isEqualTo(written);
    assertThat(read(1, name())).isEqualTo(written);

    Register again = write(1, written, "second");

    assertThat(again).isEqualTo(new Register(name(), 2, Optional.of("second")));
    assertThat(read(0, name())).isEqualTo(again);
  }

  @Test
  void aValueIsReadAsItWasWritten() {
    List<String> values =
        List.of(
            "",
            " ",
            "0",
            "a\nb\r\n\tc\u0000d\u0000",
            "'; DROP TABLE pawl; -- \\ % _ $1 {}",
            "Zoë 漢字 😀 \u202e \uffff",
            "ü".repeat(Register.MAX_BYTES / 2));
    Register last = read(0, name());
    for (String value : values) {
      last = write(0, last, value);
      assertThat(read(1, name())).isEqualTo(last);
      assertThat(last.value()).contains(value);
    }
  }

  @Test
  void aWriteOverAnOlderVersionChangesNothing() {
    Register first = write(0, read(0, name()), "first");
    Register second = write(1, first, "second");

    assertThat(compareAndSet(0, first, Optional.of("late")))
        .isEqualTo(new RegisterReply.Changed(second));
    assertThat(compareAndSet(0, Register.absent(name()), Optional.of("later")))
        .isEqualTo(new RegisterReply.Changed(second));
    assertThat(compareAndSet(0, first, Optional.empty()))
        .isEqualTo(new RegisterReply.Changed(second));
    assertThat(read(1, name())).isEqualTo(second);
  }

  @Test
  void aWriteOverAVersionThatNeverWasChangesNothing() {
    Register never = new Register(name(), 5, Optional.of("never"));

    assertThat(compareAndSet(0, never, Optional.of("next")))
        .isEqualTo(new RegisterReply.Changed(Register.absent(name())));
    assertThat(read(1, name())).isEqualTo(Register.absent(name()));
  }

  @Test
  void ofTwoWhoWriteTheSameTextOneIsTold() {
    Register seen = write(0, read(0, name()), "free");

    assertThat(compareAndSet(0, seen, Optional.of("taken")))
        .isInstanceOf(RegisterReply.Written.class);
    assertThat(compareAndSet(1, seen, Optional.of("taken")))
        .isInstanceOf(RegisterReply.Changed.class);
    assertThat(compareAndSet(0, seen, Optional.of("taken")))
        .isInstanceOf(RegisterReply.Changed.class);
  }

  @Test
  void aValueThatWasTakenAwayLeavesItsVersion() {
    Register written = write(0, read(0, name()), "here");

    Register gone =
        Replies.as(RegisterReply.Written.class, compareAndSet(1, written, Optional.empty()))
            .register();

    assertThat(gone).isEqualTo(new Register(name(), 2, Optional.empty()));
    assertThat(read(0, name())).isEqualTo(gone);
    assertThat(compareAndSet(0, Register.absent(name()), Optional.of("anew")))
        .as("as if it had never been written")
        .isEqualTo(new RegisterReply.Changed(gone));
    assertThat(write(0, gone, "anew").version()).isEqualTo(3);
  }

  @Test
  void ofACrowdThatCountsNobodysCountIsLost() throws Exception {
    AtomicInteger refused = new AtomicInteger();
    store(1); // Both are open before the threads begin.
    Together.run(
        CROWD,
        index -> {
          for (int i = 0; i < WRITES_OF_EACH; i++) {
            Register seen = read(index % 2, name());
            while (true) {
              int next = Integer.parseInt(seen.value().orElse("0")) + 1;
              RegisterReply reply = compareAndSet(index % 2, seen, Optional.of("" + next));
              if (reply instanceof RegisterReply.Written) {
                break;
              }
              refused.incrementAndGet();
              seen = reply.register();
            }
          }
        });

    assertThat(read(0, name()))
        .as("after %s refusals", refused)
        .isEqualTo(
            new Register(name(), CROWD * WRITES_OF_EACH, Optional.of("" + CROWD * WRITES_OF_EACH)));
  }

  @Test
  void keysAreBytes() {
    Map<String, Register> written = new LinkedHashMap<>();
    Stream.concat(NameCases.TWINS.stream(), NameCases.HOSTILE.stream())
        .map(this::name)
        .forEach(key -> written.put(key, write(0, read(0, key), key + "'s")));

    written.forEach((key, register) -> assertThat(read(1, key)).isEqualTo(register));
    assertThat(list(1, prefix(), 1_000)).containsExactlyInAnyOrderElementsOf(written.values());
  }

  @Test
  void aKeyOf255BytesIsToldApartByTheLast() {
    String most = name("k".repeat(254 - prefix().length()));
    write(0, read(0, most + "a"), "a");

    assertThat(read(1, most + "b")).isEqualTo(Register.absent(most + "b"));
    assertThat(read(1, most + "a").value()).contains("a");
  }

  @Test
  void whatIsNotAllowedIsRefusedAndSaysWhy() {
    Register absent = Register.absent(name());

    assertThatThrownBy(() -> registers(0).compareAndSet(absent, Optional.of("x".repeat(65_537))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(name())
        .hasMessageContaining("65537 bytes; allowed are 65536");
    assertThatThrownBy(() -> registers(0).compareAndSet(absent, Optional.of("half \ud83d")))
        .isInstanceOf(IllegalArgumentException.class);
    for (String key : List.of("", "k".repeat(256), "line\nbreak", "half \ude00")) {
      assertThatThrownBy(() -> registers(0).read(key))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("register key");
    }
    assertThat(read(1, name())).isEqualTo(absent);
  }

  @Test
  @Needs(Capability.INSPECT)
  void aRegisterIsInNoLocksWay() {
    Register register = write(0, read(0, name()), "no lock");
    ScriptedClaim claim = node("a").claim(name());
    claim.take();

    assertThat(read(1, name())).isEqualTo(register);
    assertThat(Replies.of(store().list(Listing.all(prefix(), 10)))).hasSize(1);
    assertThat(list(1, prefix(), 10)).containsExactly(register);

    claim.release();

    assertThat(read(1, name())).isEqualTo(register);
    assertThat(list(1, prefix(), 10)).containsExactly(register);
  }

  @Test
  void theListHasThoseWithAValueInTheOrderOfTheirBytes() {
    List<Register> written = new ArrayList<>();
    for (String key : List.of("a*", "a1", "a2", "b", "ä", "😀", "\uffff")) {
      written.add(write(0, read(0, name(key)), key));
    }
    Register gone = write(0, read(0, name("a0")), "gone");
    compareAndSet(0, gone, Optional.empty());

    assertThat(list(1, prefix(), 10))
        .extracting(each -> each.key().substring(prefix().length()))
        .containsExactly("a*", "a1", "a2", "b", "ä", "\uffff", "😀");
    assertThat(list(1, prefix(), 3)).isEqualTo(written.subList(0, 3));
    assertThat(list(1, name("a*"), 10)).containsExactly(written.get(0));
    assertThat(list(1, name("none"), 10)).isEmpty();
  }

  @Test
  void aRegisterOutlivesWhoeverWroteIt() {
    LockStore stays = store();
    LockStore brief = freshStore();
    Register written;
    try {
      Register absent = Replies.of(brief.registers().read(name()));
      written = Replies.of(brief.registers().compareAndSet(absent, Optional.of("kept"))).register();
    } finally {
      if (brief != stays) {
        brief.close();
      }
    }

    assertThat(Replies.of(closedAtTheEnd(freshStore()).registers().read(name())))
        .isEqualTo(written);
  }

  @Test
  void aRegisterDoesNotExpire() {
    Register written = write(0, read(0, name()), "kept");
    Register gone = write(0, read(0, name("gone")), "gone");
    compareAndSet(0, gone, Optional.empty());

    pass(Duration.ofSeconds(3));
    nothingIsLeft();

    assertThat(read(1, name())).isEqualTo(written);
    assertThat(read(1, name("gone")).version()).isEqualTo(2);
  }

  @Test
  void aWriteThatWasNotAnsweredIsKnownByItsValue() {
    UnreliableStore unreliable = new UnreliableStore(store());
    Register absent = read(0, name());
    unreliable.loseReplies(1);

    Throwable failure =
        Replies.failureOf(unreliable.registers().compareAndSet(absent, Optional.of("by node 1")));
    RegisterReply again =
        Replies.of(unreliable.registers().compareAndSet(absent, Optional.of("by node 1")));

    assertThat(failure).isInstanceOf(OutcomeUnknownException.class);
    assertThat(again)
        .isEqualTo(new RegisterReply.Changed(new Register(name(), 1, Optional.of("by node 1"))));
  }

  private Registers registers(int instance) {
    return store(instance).registers();
  }

  private Register read(int instance, String key) {
    return Replies.of(registers(instance).read(key));
  }

  private List<Register> list(int instance, String prefix, int limit) {
    return Replies.of(registers(instance).list(prefix, limit));
  }

  private RegisterReply compareAndSet(int instance, Register seen, Optional<String> value) {
    return Replies.of(registers(instance).compareAndSet(seen, value));
  }

  private Register write(int instance, Register seen, String value) {
    return Replies.as(
            RegisterReply.Written.class, compareAndSet(instance, seen, Optional.of(value)))
        .register();
  }
}
