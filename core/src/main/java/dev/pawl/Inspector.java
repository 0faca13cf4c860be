package dev.pawl;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The view for operators: what the store knows of all names and all nodes, and the way to step in.
 *
 * <p>Each call asks the store and blocks for the answer.
 */
public interface Inspector {

  /**
   * Returns the names that the store remembers and that begin with {@code prefix}, in the order of
   * their bytes, {@code limit} at most. Among them are idle names, which nobody holds or waits for.
   */
  List<LockInfo> list(String prefix, int limit);

  /**
   * Returns the names that begin with {@code prefix} and that somebody holds or waits for, in the
   * order of their bytes, {@code limit} at most. Idle names do not count towards the limit.
   */
  List<LockInfo> listInUse(String prefix, int limit);

  /** Returns what the store knows of a name; empty if it knows nothing. */
  Optional<LockInfo> find(String name);

  /**
   * Takes a name away from the holder with that token, and journals it. The holder's node is told;
   * its token is refused from then on wherever tokens are checked, but what it does without asking
   * goes on. Make sure it is dead, or that its work does no harm.
   *
   * @param token the token the operator saw: nothing happens if the holder has changed since
   * @param by who decided it
   * @param reason why, for those who read the journal
   * @return whether the holder with that token was found and removed
   */
  boolean forceRelease(String name, long token, String by, String reason);

  /**
   * Sets a job back, and journals it: ticks after {@code to} are run again. For a tick that counts
   * as done by mistake, such as one that lies in the future.
   *
   * @param job its name, without {@link Job#PREFIX}
   * @param latest the latest tick that is done, as the operator saw it: nothing happens if it has
   *     changed since
   * @param to the latest tick that is done from now on, before that one; or none
   * @param by who decided it
   * @param reason why, for those who read the journal
   * @return whether the job was set back
   */
  boolean resetJob(String job, Instant latest, Optional<Instant> to, String by, String reason);

  /**
   * Pauses a job, and journals it: nobody begins a run of it until it is resumed, on whatever node,
   * and a restart changes nothing. Whoever is given a tick meanwhile is told {@link
   * Job.Outcome.Paused}, and the tick is not done. A run that has begun, or that the store has
   * admitted before this returns, goes on. Ticks that fall into a pause are not made up for.
   *
   * @param job its name, without {@link Job#PREFIX}
   * @param by who decided it
   * @param reason why, for those who wonder that it does not run
   * @return whether it was paused by this call; false if it is paused already: {@link #jobControl}
   *     tells by whom
   * @throws UnsupportedByStoreException if the store has no jobs, or no registers
   */
  boolean pauseJob(String job, String by, String reason);

  /**
   * Lets a paused job go on, and journals it.
   *
   * @param job its name, without {@link Job#PREFIX}
   * @param by who decided it
   * @param reason why, for those who read the journal
   * @return whether it was paused until now
   * @throws UnsupportedByStoreException if the store has no jobs, or no registers
   */
  boolean resumeJob(String job, String by, String reason);

  /**
   * Permits one tick that is done to be run once more, and journals it. Whoever comes with that
   * tick next runs it, alone; its run uses the permit up, unless it is left to another node or its
   * node dies. The mark is not lowered, so that no other tick opens.
   *
   * @param job its name, without {@link Job#PREFIX}
   * @param tick the tick, as its runs show it
   * @param by who decided it
   * @param reason why, for those who read the journal
   * @return whether it was permitted by this call; false if the tick is not done, and so needs no
   *     permit, or if it is permitted already
   * @throws UnsupportedByStoreException if the store has no jobs, or no registers
   */
  boolean permitRerun(String job, Instant tick, String by, String reason);

  /**
   * Takes back a permit that was not used up, and journals it.
   *
   * @return whether there was one
   * @throws UnsupportedByStoreException if the store has no jobs, or no registers
   */
  boolean withdrawRerun(String job, Instant tick, String by, String reason);

  /**
   * Returns what operators have decided about a job: whether it is paused, by whom and why, and
   * which ticks may be run again. Nothing on a store without registers.
   *
   * @param job its name, without {@link Job#PREFIX}
   */
  JobControl jobControl(String job);

  /**
   * Returns the jobs that are paused or may run a tick again, in the order of their names, {@code
   * limit} at most; none on a store without registers.
   */
  List<JobControl> jobControls(int limit);

  /** Returns the latest journal entries of a name, the newest first, {@code limit} at most. */
  List<JournalEntry> journal(String name, int limit);

  /** Returns the latest journal entries of all names, the newest first, {@code limit} at most. */
  List<JournalEntry> journal(int limit);

  /**
   * Returns the latest runs of a job that have ended, the newest first, {@code limit} at most.
   *
   * @param job its name, without {@link Job#PREFIX}
   */
  List<PastRun> runs(String job, int limit);

  /** Returns the latest runs of all jobs, the newest first, {@code limit} at most. */
  List<PastRun> runs(int limit);
}
