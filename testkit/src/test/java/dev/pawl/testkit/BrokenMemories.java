package dev.pawl.testkit;

import dev.pawl.LockInfo;
import dev.pawl.machine.LockState;
import dev.pawl.spi.Command;
import dev.pawl.spi.ReleaseReply;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Pattern;

/** Stores that forget, confuse or keep what they must not. */
final class BrokenMemories {

  private BrokenMemories() {}

  static final class LetsMarksGoBack extends BendableStore {
    @Override
    public CompletionStage<ReleaseReply> release(Command.Release command) {
      CompletionStage<ReleaseReply> reply = super.release(command);
      if (command.mark().isPresent()) {
        bend(
            command.name(),
            state ->
                new LockState(
                    state.lastToken(),
                    command.mark(),
                    state.holders(),
                    state.queue(),
                    state.ended()));
      }
      return reply;
    }
  }

  static final class RaisesTheMarkForAnybody extends BendableStore {
    @Override
    public CompletionStage<ReleaseReply> release(Command.Release command) {
      CompletionStage<ReleaseReply> reply = super.release(command);
      bend(
          command.name(),
          state ->
              state.mark().isPresent()
                  ? state
                  : new LockState(
                      state.lastToken(),
                      command.mark(),
                      state.holders(),
                      state.queue(),
                      state.ended()));
      return reply;
    }
  }

  /** Compares names as a database does that nobody has told otherwise. */
  static final class ComparesNamesByCollation extends BendableStore {
    @Override
    String key(String name) {
      return name.toLowerCase(Locale.ROOT).stripTrailing();
    }
  }

  static final class CutsLongNames extends BendableStore {
    @Override
    String key(String name) {
      return name.substring(0, Math.min(64, name.length()));
    }
  }

  static final class TakesAPrefixForAPattern extends BendableStore {
    @Override
    public CompletionStage<List<LockInfo>> list(String prefix, int limit) {
      String pattern = Pattern.quote(prefix).replace("%", "\\E.*\\Q").replace("_", "\\E.\\Q");
      return CompletableFuture.completedFuture(
          listed(beginning -> Pattern.matches(pattern, beginning), limit));
    }
  }

  static final class NeverForgets extends BendableStore {
    @Override
    boolean canForget(LockState state, long now) {
      return false;
    }
  }

  static final class ForgetsThatAClaimHasEnded extends BendableStore {
    @Override
    LockState kept(LockState before, LockState after, long now) {
      return new LockState(
          after.lastToken(), after.mark(), after.holders(), after.queue(), List.of());
    }
  }
}
