package dev.pawl.console.watch;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A thread behind a claim, as its node has told the store: {@code name#id}, and what it waits for
 * while it holds the claim.
 *
 * @param thread its name; the whole text where it has another form
 * @param id its number in its node; empty where it has none
 * @param waitsFor the name that it waits for; empty if it waits for none
 */
public record Caller(String thread, String id, String waitsFor) {

  private static final Pattern FORM =
      Pattern.compile("([^#]*)#(\\d+)(?: waits since \\d+ (?:for|to share) (.+))?", Pattern.DOTALL);

  static Caller parse(String actor) {
    Matcher matcher = FORM.matcher(actor);
    if (!matcher.matches()) {
      return new Caller(actor, "", "");
    }
    String waitsFor = matcher.group(3);
    return new Caller(matcher.group(1), matcher.group(2), waitsFor == null ? "" : waitsFor);
  }
}
