package dev.pawl.console.api;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Map;
import java.util.Set;

/** The fields of a body, checked. */
record Fields(Map<String, String> body, Set<String> known) {

  private static final int MOST_CHARS = 500;

  Fields {
    for (String key : body.keySet()) {
      if (!known.contains(key)) {
        throw Problem.malformed("the body has a field that is not known; known are " + known);
      }
    }
  }

  String text(String field) {
    String text = body.get(field);
    if (text == null || text.isBlank()) {
      throw Problem.malformed("the field " + field + " is missing or blank");
    }
    if (text.length() > MOST_CHARS) {
      throw Problem.malformed(
          "the field " + field + " has more than " + MOST_CHARS + " characters");
    }
    return text.strip();
  }

  String reason() {
    String reason = text("reason");
    if (reason.codePoints().anyMatch(Character::isISOControl)) {
      throw Problem.malformed("the reason has a control character in it");
    }
    return reason;
  }

  /** Returns a moment; ticks are compared by the millisecond. */
  Instant instant(String field) {
    try {
      return Instant.ofEpochMilli(Instant.parse(text(field)).toEpochMilli());
    } catch (DateTimeParseException | ArithmeticException e) {
      throw Problem.malformed(
          "the field " + field + " has to be a time such as 2026-11-15T02:00:00Z");
    }
  }

  long number(String field) {
    try {
      return Long.parseLong(text(field));
    } catch (NumberFormatException e) {
      throw Problem.malformed("the field " + field + " has to be a number, as a string");
    }
  }
}
