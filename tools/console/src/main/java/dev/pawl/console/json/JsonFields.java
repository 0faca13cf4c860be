package dev.pawl.console.json;

import java.util.HashMap;
import java.util.Map;

/**
 * Reads the body of a request: one JSON object whose values are strings. Nothing in the API needs
 * more, and a reader that knows no nesting cannot be made to nest deeply.
 */
public final class JsonFields {

  private final String text;
  private int at;

  private JsonFields(String text) {
    this.text = text;
  }

  /**
   * Returns the fields.
   *
   * @throws IllegalArgumentException if it is something else; the message says what
   */
  public static Map<String, String> parse(String text) {
    return new JsonFields(text).object();
  }

  private Map<String, String> object() {
    Map<String, String> fields = new HashMap<>();
    expect('{');
    if (peek() != '}') {
      do {
        String key = string();
        expect(':');
        if (fields.put(key, string()) != null) {
          throw wrong("a field is there twice");
        }
      } while (take(','));
    }
    expect('}');
    skipSpace();
    if (at < text.length()) {
      throw wrong("there is something behind the object");
    }
    return fields;
  }

  private String string() {
    expect('"');
    StringBuilder string = new StringBuilder();
    while (true) {
      char c = next();
      if (c == '"') {
        return string.toString();
      } else if (c == '\\') {
        string.append(escaped(next()));
      } else if (c < ' ') {
        throw wrong("a control character is not escaped");
      } else {
        string.append(c);
      }
    }
  }

  private char escaped(char c) {
    return switch (c) {
      case '"', '\\', '/' -> c;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> unicode();
      default -> throw wrong("an escape is unknown");
    };
  }

  private char unicode() {
    int code = 0;
    for (int i = 0; i < 4; i++) {
      int digit = Character.digit(next(), 16);
      if (digit < 0) {
        throw wrong("\\u needs four hexadecimal digits");
      }
      code = code * 16 + digit;
    }
    return (char) code;
  }

  private char next() {
    if (at == text.length()) {
      throw wrong("it ends too early");
    }
    return text.charAt(at++);
  }

  private char peek() {
    skipSpace();
    return at < text.length() ? text.charAt(at) : '\0';
  }

  private boolean take(char wanted) {
    if (peek() != wanted) {
      return false;
    }
    at++;
    return true;
  }

  private void expect(char wanted) {
    if (!take(wanted)) {
      throw wrong("a " + wanted + " is missing");
    }
  }

  private void skipSpace() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private IllegalArgumentException wrong(String what) {
    return new IllegalArgumentException(
        "the body is no JSON object of strings: " + what + " at character " + at);
  }
}
