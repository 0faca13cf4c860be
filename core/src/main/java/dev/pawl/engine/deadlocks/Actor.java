package dev.pawl.engine.deadlocks;

import dev.pawl.engine.claims.Request;
import dev.pawl.spi.Command;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A thread behind a claim as the store shows it: readable for people, and for the wait-for graph.
 *
 * @param waitsFor the name it waits for while it holds the claim
 * @param sinceMicros since when it waits, about, by the store's clock
 * @param shares whether it waits for some of the name's permits, and not for all of them
 */
record Actor(String thread, long id, @Nullable String waitsFor, long sinceMicros, boolean shares) {

  private static final Pattern FORM =
      Pattern.compile("([^#]*)#(\\d+)(?: waits since (\\d+) (for|to share) (.+))?", Pattern.DOTALL);

  private static final int MOST_CHARS = 48;

  /** What the current thread was called last: it takes many locks by one name. */
  private static final ThreadLocal<Called> CALLED = new ThreadLocal<>();

  private record Called(String name, String text) {}

  /** Returns what the store is told of a thread that waits for nothing. */
  static String textOf(Thread thread) {
    if (thread != Thread.currentThread()) {
      return of(thread).toString();
    }
    String name = thread.getName();
    @Nullable Called called = CALLED.get();
    if (called == null || !called.name().equals(name)) {
      called = new Called(name, of(thread).toString());
      CALLED.set(called);
    }
    return called.text();
  }

  static Actor of(Thread thread) {
    String name = thread.getName();
    String shown = name.length() <= MOST_CHARS ? name : name.substring(0, MOST_CHARS);
    return new Actor(clean(shown), thread.getId(), null, 0, false);
  }

  private static String clean(String name) {
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (c == '#' || Character.isISOControl(c) || Character.isSurrogate(c)) {
        return name.replaceAll("[#\\p{Cntrl}\\p{Cs}]", "_");
      }
    }
    return name;
  }

  Actor waitingFor(Request request, long since) {
    return new Actor(thread, id, request.name(), since, request.permits() != Command.EVERYTHING);
  }

  static @Nullable Actor parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      return null;
    }
    OptionalLong since =
        matcher.group(3) == null
            ? OptionalLong.empty()
            : OptionalLong.of(Long.parseLong(matcher.group(3)));
    return new Actor(
        matcher.group(1),
        Long.parseLong(matcher.group(2)),
        matcher.group(5),
        since.orElse(0),
        "to share".equals(matcher.group(4)));
  }

  @Override
  public String toString() {
    String text = thread + "#" + id;
    return waitsFor == null
        ? text
        : text + " waits since " + sinceMicros + (shares ? " to share " : " for ") + waitsFor;
  }
}
