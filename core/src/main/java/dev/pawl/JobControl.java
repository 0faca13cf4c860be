package dev.pawl;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What operators have decided about a job, as the store keeps it until they decide otherwise: it
 * does not expire, and every node obeys it.
 *
 * @param job the name of the job, without {@link Job#PREFIX}
 * @param pause by whom it is paused, if it is
 * @param permits the ticks that may be run once more, in their order
 */
public record JobControl(String job, Optional<Pause> pause, List<Permit> permits) {

  /** Copies the list. */
  public JobControl {
    Objects.requireNonNull(job, "job");
    Objects.requireNonNull(pause, "pause");
    permits = List.copyOf(permits);
  }

  /** Returns the control of a job about which nobody has decided anything. */
  public static JobControl none(String job) {
    return new JobControl(job, Optional.empty(), List.of());
  }

  /** Returns the permit to run a tick once more, if there is one. */
  public Optional<Permit> permit(Instant tick) {
    return permits.stream().filter(permit -> permit.tick().equals(tick)).findFirst();
  }

  /**
   * A pause of a job, with who, why and since when.
   *
   * @param by who paused it
   * @param reason why
   * @param since since when, by the store's clock
   */
  public record Pause(String by, String reason, Instant since) {}

  /**
   * A permit to run one tick once more, though it is done.
   *
   * @param tick the tick
   * @param by who permits it
   * @param reason why
   * @param since since when, by the store's clock
   */
  public record Permit(Instant tick, String by, String reason, Instant since) {}
}
