package dev.pawl.cli.shell;

/** How many columns of a terminal a text takes: Chinese characters and emoji take two. */
public final class TextWidth {

  private TextWidth() {}

  /** Returns the columns of a text without control characters. */
  public static int of(String text) {
    return text.codePoints().map(TextWidth::of).sum();
  }

  /** Returns the text in {@code width} columns at most; one that is cut ends with {@code …}. */
  public static String cut(String text, int width) {
    if (of(text) <= width) {
      return text;
    }
    StringBuilder cut = new StringBuilder();
    int left = width - 1;
    for (int code : text.codePoints().toArray()) {
      left -= of(code);
      if (left < 0) {
        break;
      }
      cut.appendCodePoint(code);
    }
    return width < 1 ? "" : cut.append('…').toString();
  }

  /**
   * Returns the text in {@code width} columns at most; one that is too long has a {@code …} in its
   * middle, as names differ at both ends.
   */
  public static String middle(String text, int width) {
    if (of(text) <= width) {
      return text;
    }
    if (width < 3) {
      return cut(text, width);
    }
    int[] codes = text.codePoints().toArray();
    int tailWidth = (width - 1) / 2;
    int tail = codes.length;
    while (tail > 0 && of(codes[tail - 1]) <= tailWidth) {
      tail--;
      tailWidth -= of(codes[tail]);
    }
    String end = new String(codes, tail, codes.length - tail);
    return cut(text, width - of(end)) + end;
  }

  /** Returns the text with spaces up to {@code width} columns. */
  public static String pad(String text, int width) {
    return text + " ".repeat(Math.max(0, width - of(text)));
  }

  private static int of(int code) {
    if (code < 0x300) {
      return 1;
    }
    return switch (Character.getType(code)) {
      case Character.NON_SPACING_MARK, Character.ENCLOSING_MARK, Character.FORMAT -> 0;
      default -> isWide(code) ? 2 : 1;
    };
  }

  private static boolean isWide(int code) {
    return isIn(code, 0x1100, 0x115f) // Hangul
        || isIn(code, 0x2e80, 0xa4cf) // Chinese, Japanese
        || isIn(code, 0xac00, 0xd7a3) // Hangul
        || isIn(code, 0xf900, 0xfaff)
        || isIn(code, 0xfe30, 0xfe6f)
        || isIn(code, 0xff00, 0xff60) // full-width forms
        || isIn(code, 0xffe0, 0xffe6)
        || isIn(code, 0x1f300, 0x1f64f) // emoji
        || isIn(code, 0x1f680, 0x1f6ff)
        || isIn(code, 0x1f900, 0x1f9ff)
        || isIn(code, 0x20000, 0x3fffd);
  }

  private static boolean isIn(int code, int first, int last) {
    return code >= first && code <= last;
  }
}
