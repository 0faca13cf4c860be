package dev.pawl.console.api;

import dev.pawl.console.json.Json;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Why a request is refused: a status, a word for programs, and a sentence for people. */
public final class Problem extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final int status;
  private final String code;
  private String reason;
  private transient Map<String, @Nullable Object> values = Map.of();

  /** Makes one. */
  public Problem(int status, String code, String message) {
    super(message, null, false, false);
    this.status = status;
    this.code = code;
    this.reason = code;
  }

  /**
   * Says why more exactly than the code does, for a page that has words of its own for it.
   *
   * @param with what these words name
   */
  public Problem because(String why, Map<String, @Nullable Object> with) {
    reason = why;
    values = with;
    return this;
  }

  /** Returns that the request is malformed. */
  public static Problem malformed(String message) {
    return new Problem(400, "malformed", message);
  }

  /** Returns that there is nothing there. */
  public static Problem notFound() {
    return new Problem(404, "not-found", "there is nothing under this address");
  }

  /** Returns the status of the response. */
  public int status() {
    return status;
  }

  /** Returns the body of the response. */
  public Map<String, @Nullable Object> body() {
    return Json.object(
        "error",
        Json.object("code", code, "message", getMessage(), "reason", reason, "values", values));
  }
}
