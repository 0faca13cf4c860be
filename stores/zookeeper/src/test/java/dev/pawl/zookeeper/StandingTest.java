package dev.pawl.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.zookeeper.tree.Names;
import dev.pawl.zookeeper.tree.Place;
import dev.pawl.zookeeper.tree.Standing;
import dev.pawl.zookeeper.tree.Tokens;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Who holds a name and who waits for whom, by a list of nodes. */
class StandingTest {

  private static final int ALL = Command.EVERYTHING;

  private int sequence;

  private Place place(int permits, int capacity) {
    return place(permits, capacity, sequence++);
  }

  private static Place place(int permits, int capacity, int sequence) {
    Command.Acquire command =
        new Command.Acquire(
            "x",
            new ClaimId("node.with/out".replace('/', '_'), sequence + 10L),
            permits,
            capacity,
            1,
            1,
            OptionalLong.empty(),
            true,
            true,
            "",
            "");
    return Place.parse(Place.prefix(command, Place.Kind.FAIR) + String.format("%010d", sequence))
        .orElseThrow();
  }

  private static Standing of(List<Place> line) {
    return Standing.of(line, Map.of(), OptionalLong.empty());
  }

  @Test
  void aWriterWaitsForTheOneAheadAndReadersForTheLastWriter() {
    Place writer = place(ALL, ALL);
    Place second = place(ALL, ALL);
    Place reader = place(1, ALL);
    Place other = place(1, ALL);
    Place last = place(ALL, ALL);
    Standing standing = of(List.of(writer, second, reader, other, last));

    assertThat(standing.holders()).containsExactly(writer);
    assertThat(standing.awaited(second, Map.of())).isEqualTo(writer);
    assertThat(standing.awaited(reader, Map.of())).isEqualTo(second);
    assertThat(standing.awaited(other, Map.of())).isEqualTo(second);
    assertThat(standing.awaited(last, Map.of())).isEqualTo(other);
  }

  @Test
  void whoWaitsFirstForPermitsWaitsForAnybodyAndTheNextForThatOne() {
    Place first = place(2, 3);
    Place waits = place(2, 3);
    Place next = place(1, 3);
    Standing standing = of(List.of(first, waits, next));

    assertThat(standing.holders()).containsExactly(first);
    assertThat(standing.awaited(waits, Map.of())).isNull();
    assertThat(standing.awaited(next, Map.of())).isEqualTo(waits);
  }

  @Test
  void sequencesThatWrapAroundKeepTheirOrder() {
    Place before = place(ALL, ALL, Integer.MAX_VALUE);
    Place after = place(ALL, ALL, Integer.MIN_VALUE);

    assertThat(Place.line(List.of(after.segment(), before.segment())))
        .containsExactly(before, after);
    assertThat(after.segment()).endsWith(".-2147483648");
  }

  @Test
  void nodesThatAreNotOursAreNobody() {
    assertThat(Place.line(List.of("lock-0000000001", "a.b.c.d.e.f.g", "", "f.x.x..n.1.x")))
        .isEmpty();
  }

  /** What makes a list enough to decide by: see {@link Standing}. */
  @Test
  @Tag("safety")
  void whoHoldsGoesOnHoldingWhoeverComesAndGoes() {
    for (int seed = 0; seed < 300; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      List<Place> line = new ArrayList<>();
      List<Place> holders = List.of();
      for (int step = 0; step < 60; step++) {
        if (line.isEmpty() || random.nextInt(5) < 3) {
          int capacity = random.nextInt(4) == 0 ? ALL : 1 + random.nextInt(4);
          int permits =
              capacity == ALL ? (random.nextBoolean() ? ALL : 1) : 1 + random.nextInt(capacity);
          line.add(place(permits, capacity));
        } else {
          line.remove(random.nextInt(line.size()));
        }
        Standing standing = of(line);
        long held = standing.holders().stream().mapToLong(Place::permits).sum();
        for (Place holder : standing.holders()) {
          assertThat(held - afterIt(standing, holder))
              .as("seed %s step %s", seed, step)
              .isLessThanOrEqualTo(holder.capacity());
        }
        for (Place before : holders) {
          assertThat(!line.contains(before) || standing.holds(before))
              .as("seed %s step %s: it held", seed, step)
              .isTrue();
        }
        // An old list that shows more ahead makes nobody a holder who is none.
        List<Place> old = new ArrayList<>(line);
        old.add(random.nextInt(line.size() + 1), place(1, ALL, -sequence));
        Standing seen = of(old);
        for (Place each : line) {
          assertThat(!seen.holds(each) || standing.holds(each)).isTrue();
        }
        holders = standing.holders();
      }
    }
  }

  private static long afterIt(Standing standing, Place holder) {
    int index = standing.holders().indexOf(holder);
    return standing.holders().stream().skip(index + 1L).mapToLong(Place::permits).sum();
  }

  @Test
  void aNameIsOneSegmentAndComesBackAsItWas() {
    for (String name :
        List.of(
            "/", ".", "..", "a/../b", "\0", "zookeeper", "%2F", "é😀", "a b", "x".repeat(255))) {
      String segment = Names.encode(name);
      assertThat(segment).matches("[A-Za-z0-9%_-]+").isNotIn(".", "..");
      assertThat(Names.decode(segment)).isEqualTo(name);
    }
  }

  @Test
  void tokensOfLaterTransactionsAreAboveTheWholeSpan() {
    long zxid = (7L << 32) + 12;
    assertThat(Tokens.first(zxid + 1)).isEqualTo(Tokens.first(zxid) + Tokens.MOST);
    assertThat(Tokens.first(500_000L << 32)).isPositive();
  }
}
