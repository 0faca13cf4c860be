package dev.pawl.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.spi.ClaimId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class StateCodecTest {

  @Test
  void aStateIsReadAsItWasWritten() {
    Random random = new Random(7);
    for (int i = 0; i < 500; i++) {
      LockState state = randomState(random);
      assertThat(StateCodec.decode(StateCodec.encode(state))).isEqualTo(state);
    }
  }

  @Test
  void anUnusedNameIsAFewBytes() {
    assertThat(StateCodec.encode(LockState.EMPTY)).hasSize(7);
  }

  @Test
  void bytesThatAreCutOrTooManyAreRefused() {
    byte[] bytes = StateCodec.encode(randomState(new Random(3)));
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> StateCodec.decode(cut)).isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> StateCodec.decode(Arrays.copyOf(bytes, bytes.length + 1)))
        .hasMessageContaining("too many");
  }

  @Test
  void aNewerFormIsNamed() {
    byte[] bytes = StateCodec.encode(LockState.EMPTY);
    bytes[0] = 9;
    assertThatThrownBy(() -> StateCodec.decode(bytes)).hasMessageContaining("form 9");
  }

  private static LockState randomState(Random random) {
    List<LockState.Holder> holders = new ArrayList<>();
    List<LockState.Waiter> queue = new ArrayList<>();
    List<LockState.Ended> ended = new ArrayList<>();
    IntStream.range(0, random.nextInt(4))
        .forEach(
            i ->
                holders.add(
                    new LockState.Holder(
                        claim(random),
                        1 + random.nextInt(1 << 30),
                        random.nextLong() >>> random.nextInt(64),
                        1 + random.nextInt(1_000),
                        random.nextLong() >>> 1,
                        random.nextLong() >>> 1,
                        "app@host:1",
                        "thrèad 😀")));
    IntStream.range(0, 1 + random.nextInt(20))
        .forEach(
            i ->
                queue.add(
                    new LockState.Waiter(
                        claim(random),
                        1,
                        1 << 30,
                        10_000_000,
                        65,
                        mark(random),
                        random.nextBoolean(),
                        random.nextLong() >>> 1,
                        random.nextLong() >>> 1,
                        "",
                        "x\u0000'\"\n")));
    IntStream.range(0, random.nextInt(3))
        .forEach(i -> ended.add(new LockState.Ended(claim(random), random.nextLong() >>> 1)));
    return new LockState(
        random.nextLong() >>> 1, mark(random), random.nextLong() >>> 1, holders, queue, ended);
  }

  private static OptionalLong mark(Random random) {
    return random.nextBoolean() ? OptionalLong.empty() : OptionalLong.of(random.nextLong() >>> 11);
  }

  private static ClaimId claim(Random random) {
    return new ClaimId("node" + random.nextInt(9), random.nextLong() >>> 1);
  }
}
