package dev.pawl.spring.boot;

import dev.pawl.spring.SetupException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says what cannot work, and why, in place of a stack trace. */
class SetupFailureAnalyzer extends AbstractFailureAnalyzer<SetupException> {

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, SetupException cause) {
    return new FailureAnalysis(cause.getMessage(), null, cause);
  }
}
