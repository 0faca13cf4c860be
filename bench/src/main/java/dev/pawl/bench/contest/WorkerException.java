package dev.pawl.bench.contest;

/** A worker could not do what it was told. */
final class WorkerException extends RuntimeException {

  private static final long serialVersionUID = 1;

  WorkerException(String message) {
    super(message);
  }
}
