package dev.pawl.spi;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** The words that are allowed in a place, such as the parameters of a URL, for messages. */
public final class KnownWords {

  private KnownWords() {}

  /**
   * Returns what to say of a word that is not among them: {@code unknown parameter "timout"; did
   * you mean timeout? Known are prefix, timeout}.
   *
   * @param kind what the word was to be: {@code parameter}
   */
  public static String unknown(String kind, String word, Collection<String> known) {
    return "unknown "
        + kind
        + " \""
        + word
        + "\"; "
        + nearest(word, known)
            .map(near -> "did you mean " + near + "? Known are ")
            .orElse("known are ")
        + list(known);
  }

  /** Returns them in order, for a message that must not show what was written instead. */
  public static String list(Collection<String> known) {
    return known.stream().sorted().collect(Collectors.joining(", "));
  }

  /** Returns the one that was probably meant, if one is near enough. */
  public static Optional<String> nearest(String word, Collection<String> known) {
    String plain = plain(word);
    return known.stream()
        .filter(each -> distance(plain, plain(each)) <= most(plain(each)))
        .min(
            Comparator.comparingInt((String each) -> distance(plain, plain(each)))
                .thenComparing(Comparator.naturalOrder()));
  }

  /** Returns how many mistakes are forgiven: one, and two in a long word. */
  private static int most(String word) {
    return word.length() < 6 ? 1 : 2;
  }

  /** Capitals and hyphens are what is mistaken most often. */
  private static String plain(String word) {
    return word.toLowerCase(Locale.ROOT).replaceAll("[-_.]", "");
  }

  /** Returns how many letters have to be changed, added, left out or swapped with the next. */
  private static int distance(String from, String to) {
    int[][] steps = new int[from.length() + 1][to.length() + 1];
    for (int i = 0; i <= from.length(); i++) {
      for (int j = 0; j <= to.length(); j++) {
        steps[i][j] = i == 0 || j == 0 ? i + j : step(steps, from, to, i, j);
      }
    }
    return steps[from.length()][to.length()];
  }

  private static int step(int[][] steps, String from, String to, int i, int j) {
    boolean same = from.charAt(i - 1) == to.charAt(j - 1);
    int least =
        Math.min(
            steps[i - 1][j - 1] + (same ? 0 : 1), Math.min(steps[i - 1][j], steps[i][j - 1]) + 1);
    boolean swapped =
        i > 1
            && j > 1
            && from.charAt(i - 1) == to.charAt(j - 2)
            && from.charAt(i - 2) == to.charAt(j - 1);
    return swapped ? Math.min(least, steps[i - 2][j - 2] + 1) : least;
  }
}
