package dev.pawl.machine;

import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import java.util.OptionalLong;

/**
 * One thing that happens in a {@link World}. Tokens are meant relative to what a claim was granted,
 * so that an event means the same after others were left out.
 */
sealed interface Event {

  /** A command without a token in it. */
  record Send(Command command) implements Event {
    @Override
    public String toString() {
      return Texts.of(command);
    }
  }

  /** A release that has used the tokens of its latest grant up to an offset. */
  record Release(ClaimId claim, int used, OptionalLong mark, boolean late) implements Event {
    @Override
    public String toString() {
      return "release "
          + claim
          + " used +"
          + used
          + (mark.isPresent() ? " mark " + mark.getAsLong() : "")
          + (late ? " late" : "");
    }
  }

  /** A release, and an acquire in the same step. */
  record Yield(Release release, Command.Acquire next) implements Event {
    @Override
    public String toString() {
      return "yield: " + release + ", then " + Texts.of(next);
    }
  }

  /** A forced release by a token of the claim's latest grant. */
  record Evict(ClaimId claim, int offset) implements Event {
    @Override
    public String toString() {
      return "evict the token of " + claim + " +" + offset;
    }
  }

  /** Another copy of a command that was sent before; nothing if it was not. */
  record Copy(Event original) implements Event {
    @Override
    public String toString() {
      return "a late copy of: " + original;
    }
  }

  /** Time passes. */
  record Pass(long micros) implements Event {
    @Override
    public String toString() {
      return "pass " + micros + " µs";
    }
  }

  /** Time passes until the next lease, life or memory ends, or a microsecond around that. */
  record PassToNextEnd(int offset) implements Event {
    @Override
    public String toString() {
      return "pass to the next end" + (offset == 0 ? "" : " %+d µs".formatted(offset));
    }
  }

  /** The store cleans up, and forgets the name if it may. */
  record CleanUp() implements Event {
    @Override
    public String toString() {
      return "clean up";
    }
  }

  /** The store loses its memory; only once its clock has passed the tokens it gave out (I3). */
  record Amnesia() implements Event {
    @Override
    public String toString() {
      return "the store forgets everything";
    }
  }
}
