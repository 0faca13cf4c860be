package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.spi.Capability;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many readers, or one writer. */
@Needs(Capability.SHARED)
@Tag("safety")
abstract class SharingCases extends SpiCases {

  SharingCases(StoreConformance suite) {
    super(suite);
  }

  @Test
  void readersHoldTheNameTogether() {
    ScriptedClaim first = node("a").claim(name()).shared();
    ScriptedClaim second = node("b").claim(name()).shared();
    first.take();
    second.take();

    first.mustHold();
    second.mustHold();
    assertThat(node("c").claim(name()).beRefused().holders()).isEqualTo(2);
  }

  @Test
  void aWriterKeepsReadersOut() {
    ScriptedClaim writer = node("a").claim(name());
    writer.take();

    node("b").claim(name()).shared().beRefused();
    writer.release();

    node("c").claim(name()).shared().take();
  }

  @Test
  void aWriterComesInWhenTheLastReaderHasLeft() {
    ScriptedClaim first = node("a").claim(name()).shared();
    ScriptedClaim second = node("b").claim(name()).shared();
    ScriptedNode c = node("c");
    first.take();
    second.take();

    first.release();
    c.claim(name()).beRefused();
    second.release();

    c.claim(name()).take();
  }

  @Test
  @Needs(Capability.FAIR)
  void aWaitingWriterIsGrantedByTheLastReader() {
    ScriptedClaim first = node("a").claim(name()).shared();
    ScriptedClaim second = node("b").claim(name()).shared();
    ScriptedClaim writer = node("w").claim(name());
    first.take();
    second.take();
    writer.enqueue();

    first.release();
    writer.mustWait();
    second.release();

    writer.mustHold();
  }

  @Test
  @Needs(Capability.FAIR)
  void aReaderDoesNotOvertakeAFairWriter() {
    ScriptedClaim reader = node("a").claim(name()).shared();
    ScriptedClaim writer = node("w").claim(name());
    ScriptedClaim late = node("b").claim(name()).shared();
    reader.take();
    writer.enqueue();

    late.enqueue();
    node("c").claim(name()).shared().beRefused();

    reader.release();
    writer.mustHold();
    late.mustWait();
  }

  @Test
  @Needs(Capability.FAIR)
  void aReaderOvertakesAWriterWhoDidNotAskToBeTreatedFairly() {
    ScriptedClaim reader = node("a").claim(name()).shared();
    ScriptedClaim writer = node("w").claim(name()).unfair();
    reader.take();
    writer.enqueue();

    node("b").claim(name()).shared().take();

    writer.mustWait();
  }

  @Test
  @Needs(Capability.FAIR)
  void allReadersUpToTheNextWriterAreGrantedTogether() {
    ScriptedClaim writer = node("a").claim(name());
    ScriptedClaim reader1 = node("b").claim(name()).shared();
    ScriptedClaim reader2 = node("c").claim(name()).shared();
    ScriptedClaim writer2 = node("d").claim(name());
    ScriptedClaim reader3 = node("e").claim(name()).shared();
    writer.take();
    reader1.enqueue();
    reader2.enqueue();
    writer2.enqueue();
    reader3.enqueue();

    writer.release();

    reader1.mustHold();
    reader2.mustHold();
    writer2.mustWait();
    reader3.mustWait();
  }

  @Test
  @Needs(Capability.FAIR)
  void readersBehindAWriterWhoLeavesAreGranted() {
    ScriptedClaim reader = node("a").claim(name()).shared();
    ScriptedClaim writer = node("w").claim(name());
    ScriptedNode b = node("b");
    ScriptedClaim late = b.claim(name()).shared();
    reader.take();
    writer.enqueue();
    late.enqueue();

    writer.cancel();

    b.hearsOf(late);
    late.mustHold();
    reader.mustHold();
  }
}
