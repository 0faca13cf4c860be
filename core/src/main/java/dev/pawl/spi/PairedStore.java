package dev.pawl.spi;

import java.util.concurrent.CompletionStage;

/**
 * A store of two, a primary and a backup that takes its place, as people and their tools see it.
 */
public interface PairedStore extends LockStore {

  /**
   * The register by which a pair leaves a sign in its primary: a node that would take locks there
   * alone would not notice when the others have left for the backup, and is refused.
   */
  String SIGN = "pawl:pair-primary";

  /** Returns how the pair stands, as the backup answers now. */
  CompletionStage<PairStatus> status();

  /**
   * Moves the locks by a person's decision, whatever the nodes see. The backup stays chosen until a
   * person chooses the primary. It is written to the journal.
   *
   * @param seen how the pair stood when he decided; its epoch counts
   * @param to {@link PairStatus.Mode#BACKUP} or {@link PairStatus.Mode#PRIMARY}
   * @return how the pair stands then; fails with an {@link IllegalStateException} that says why if
   *     it was refused: the epoch has changed, or it is there already
   */
  CompletionStage<PairStatus> move(PairStatus seen, PairStatus.Mode to, String by, String reason);
}
