package dev.pawl.cli.shell;

/** The exit codes of {@code pawl}, after {@code sysexits.h} where it has one. */
public final class ExitCode {

  /** All went well. */
  public static final int OK = 0;

  /** The command did its work, and the answer is no: a demo that miscounts, an unsafe store. */
  public static final int NO = 1;

  /** The command was called wrongly. */
  public static final int USAGE = 64;

  /** The store cannot be reached, or did not answer. */
  public static final int UNAVAILABLE = 69;

  /** A bug of ours. */
  public static final int SOFTWARE = 70;

  /** This host cannot do it: no more processes, files or memory, no room for temporary files. */
  public static final int SYSTEM = 71;

  /** The output cannot be written: a full disk, or a closed output. */
  public static final int OUTPUT = 74;

  /** Somebody else has the lock, or had it for as long as we waited. */
  public static final int BUSY = 75;

  /** The lease was lost while the command ran. */
  public static final int LEASE_LOST = 76;

  /** The command to run was found and cannot be executed. */
  public static final int NOT_EXECUTABLE = 126;

  /** The command to run was not found. */
  public static final int NOT_FOUND = 127;

  /** Added to the number of the signal that ended the command. */
  public static final int SIGNALLED = 128;

  /** What a shell shows for a process that wrote into a closed pipe. */
  public static final int BROKEN_PIPE = SIGNALLED + 13;

  private ExitCode() {}
}
