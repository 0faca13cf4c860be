package dev.pawl.cli.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What one node has reported of the tick it was told last. */
final class Progress {

  private boolean ready;
  private boolean told;
  private Optional<String> token = Optional.empty();
  private boolean ended;
  private Optional<String> refused = Optional.empty();
  private final List<String> sent = new ArrayList<>();

  void hear(Report report) {
    switch (report.kind()) {
      case READY -> ready = true;
      case BEGAN -> token = Optional.of(report.detail());
      case SENT -> sent.add(report.detail());
      case REFUSED -> refused = Optional.of(report.detail());
      case DONE, DISMISSED, LOST -> ended = true;
      case SENDING, FAILED, GONE -> {}
    }
  }

  /** Begins a tick, and forgets the one before. */
  void begin() {
    told = true;
    token = Optional.empty();
    ended = false;
    refused = Optional.empty();
    sent.clear();
  }

  boolean isReady() {
    return ready;
  }

  /** Returns the token it runs the tick with. */
  Optional<String> token() {
    return token;
  }

  /** Tells whether it has yet to say how the tick ended for it. */
  boolean isBusy() {
    return told && !ended;
  }

  /** Returns to whom it could not send, because its token was stale. */
  Optional<String> refused() {
    return refused;
  }

  /** Returns to whom it has sent. */
  List<String> sent() {
    return List.copyOf(sent);
  }
}
