package dev.pawl.spring.boot;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says what to do, in place of a stack trace. */
class StoreChoiceFailureAnalyzer extends AbstractFailureAnalyzer<StoreChoiceException> {

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, StoreChoiceException cause) {
    return new FailureAnalysis(cause.description(), cause.action(), cause);
  }
}
