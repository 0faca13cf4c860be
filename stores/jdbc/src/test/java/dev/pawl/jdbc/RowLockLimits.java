package dev.pawl.jdbc;

import java.util.Map;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The cases of the suite that row locks do not pass, each with the reason. */
final class RowLockLimits implements ExecutionCondition {

  private static final Map<String, String> LIMITS =
      Map.of(
          "leasesAreRenewedTogether",
          "each row lock has a connection of its own, on which alone it can be renewed");

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    return context
        .getTestMethod()
        .map(method -> LIMITS.get(method.getName()))
        .map(ConditionEvaluationResult::disabled)
        .orElseGet(() -> ConditionEvaluationResult.enabled("within its limits"));
  }
}
