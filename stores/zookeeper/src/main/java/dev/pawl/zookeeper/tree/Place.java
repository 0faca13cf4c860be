package dev.pawl.zookeeper.tree;

import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A claim's place in the line of a name: a node whose own name says what the claim wants, so that a
 * list of the names decides who holds it.
 *
 * <p>{@code KIND.PERMITS.CAPACITY.MARK.NODE.COUNTER.SEQUENCE}; {@code x} stands for everything.
 *
 * @param segment the node's name
 * @param kind how it waits
 * @param sequence ZooKeeper's number, which counts on from the highest int to the lowest
 */
public record Place(
    String segment,
    Kind kind,
    int permits,
    int capacity,
    OptionalLong mark,
    ClaimId claim,
    int sequence) {

  /**
   * The order of the line. Sequences of one time are close together, also where they wrap around.
   */
  public static final Comparator<Place> ORDER =
      (a, b) -> Integer.compare(a.sequence - b.sequence, 0);

  /** How a claim stands in the line. */
  public enum Kind {
    /** In its turn; nobody behind it is granted first. */
    FAIR("f"),
    /** For the moment of asking, and while it holds: it is granted at once or steps aside. */
    UNFAIR("u"),
    /** Aside: an unfair claim that waits, holds nothing and keeps nobody waiting. */
    ASIDE("w"),
    /** Alone: the holder of a name in the simple strategy, whose node is that of the name. */
    SIMPLE("");

    private final String letter;

    Kind(String letter) {
      this.letter = letter;
    }
  }

  /** Returns what the name of a claim's node begins with; ZooKeeper adds the sequence. */
  public static String prefix(Command.Acquire command, Kind kind) {
    return String.join(
        ".",
        kind.letter,
        number(command.permits()),
        number(command.capacity()),
        command.mark().isPresent() ? "" + command.mark().getAsLong() : "",
        Names.encode(command.claim().node()),
        "" + command.claim().counter(),
        "");
  }

  /** Returns the place of one that holds a name by the simple strategy. */
  public static Place simple(ClaimId claim) {
    return new Place(
        "simple." + claim,
        Kind.SIMPLE,
        Command.EVERYTHING,
        Command.EVERYTHING,
        OptionalLong.empty(),
        claim,
        0);
  }

  private static String number(int permits) {
    return permits == Command.EVERYTHING ? "x" : "" + permits;
  }

  /** Reads the name of a node; empty if it is none of ours. */
  public static Optional<Place> parse(String segment) {
    String[] parts = segment.split("\\.", -1);
    if (parts.length != 7 || parts[0].isEmpty()) {
      return Optional.empty();
    }
    try {
      for (Kind kind : Kind.values()) {
        if (kind.letter.equals(parts[0])) {
          return Optional.of(
              new Place(
                  segment,
                  kind,
                  permits(parts[1]),
                  permits(parts[2]),
                  parts[3].isEmpty()
                      ? OptionalLong.empty()
                      : OptionalLong.of(Long.parseLong(parts[3])),
                  new ClaimId(Names.decode(parts[4]), Long.parseLong(parts[5])),
                  Integer.parseInt(parts[6])));
        }
      }
      return Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.empty(); // Somebody else's.
    }
  }

  private static int permits(String text) {
    return text.equals("x") ? Command.EVERYTHING : Integer.parseInt(text);
  }

  /** Reads the names of all nodes of a line, and puts them in order. */
  public static List<Place> line(List<String> segments) {
    return segments.stream().map(Place::parse).flatMap(Optional::stream).sorted(ORDER).toList();
  }

  /** Returns the places of a claim in a line: one for each session in which it was asked for. */
  public static List<Place> allOf(ClaimId claim, List<Place> line) {
    return line.stream().filter(place -> place.claim.equals(claim)).toList();
  }

  /** Tells whether it shares the name with nobody. */
  public boolean isExclusive() {
    return permits == Command.EVERYTHING;
  }

  /** Tells whether what it waits for has been done. */
  public boolean isReached(OptionalLong reached) {
    return mark.isPresent() && reached.isPresent() && mark.getAsLong() <= reached.getAsLong();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Place place && place.segment.equals(segment);
  }

  @Override
  public int hashCode() {
    return Objects.hashCode(segment);
  }
}
