package dev.pawl.engine.link;

import static java.util.Objects.requireNonNull;

import dev.pawl.OutcomeUnknownException;
import dev.pawl.Pawl.Counts.Answer;
import dev.pawl.Pawl.Counts.Call;
import dev.pawl.StoreUnavailableException;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;

/** How many calls a node has made to its store, by what they were and how they were answered. */
public final class StoreCalls {

  private final Map<Call, Map<Answer, LongAdder>> answered = new EnumMap<>(Call.class);
  private final LongAdder failedRenewals = new LongAdder();

  StoreCalls() {
    for (Call call : Call.values()) {
      Map<Answer, LongAdder> answers = new EnumMap<>(Answer.class);
      for (Answer answer : Answer.values()) {
        answers.put(answer, new LongAdder());
      }
      answered.put(call, answers);
    }
  }

  public long count(Call call, Answer answer) {
    return of(call, answer).sum();
  }

  public long failedRenewals() {
    return failedRenewals.sum();
  }

  /** Counts a call when it is answered; one that has been answered costs no stage more. */
  <T> CompletionStage<T> counted(Call call, CompletionStage<T> stage) {
    if (isAnswered(stage)) {
      of(call, Answer.OK).increment();
      return stage;
    }
    return stage.whenComplete(
        (value, error) -> of(call, error == null ? Answer.OK : answer(error)).increment());
  }

  /** Tells whether it has a result by now. */
  static boolean isAnswered(CompletionStage<?> stage) {
    return stage instanceof CompletableFuture<?> future
        && future.isDone()
        && !future.isCompletedExceptionally();
  }

  void renewalsFailed(int claims) {
    failedRenewals.add(claims);
  }

  private LongAdder of(Call call, Answer answer) {
    return requireNonNull(requireNonNull(answered.get(call)).get(answer));
  }

  private static Answer answer(Throwable error) {
    Throwable cause = Failures.unwrap(error);
    return cause instanceof StoreUnavailableException
        ? Answer.UNAVAILABLE
        : cause instanceof OutcomeUnknownException ? Answer.UNKNOWN : Answer.FAILED;
  }
}
