package dev.pawl.console.api;

import dev.pawl.console.watch.Locks;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Locale;

/** The parameters of a request, checked. */
final class Parameters {

  static final int MOST_ROWS = 500;
  private static final int MOST_CHARS = 300;

  private final HttpServletRequest request;

  Parameters(HttpServletRequest request) {
    this.request = request;
  }

  String text(String name, String otherwise) {
    List<String> values = Request.values(request, name);
    if (values.isEmpty()) {
      return otherwise;
    }
    if (values.size() > 1) {
      throw Problem.malformed(name + " is given " + values.size() + " times");
    }
    if (values.get(0).length() > MOST_CHARS) {
      throw Problem.malformed(name + " has more than " + MOST_CHARS + " characters");
    }
    return values.get(0);
  }

  int number(String name, int otherwise, int least, int most) {
    String text = text(name, Integer.toString(otherwise));
    try {
      int number = Integer.parseInt(text);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Said below.
    }
    throw Problem.malformed(name + " has to be a number from " + least + " to " + most);
  }

  int offset() {
    return number("offset", 0, 0, 1_000_000);
  }

  int limit() {
    return number("limit", 100, 1, MOST_ROWS);
  }

  Locks.Query query() {
    String sort = text("sort", "name");
    String order = text("order", "asc");
    if (!order.equals("asc") && !order.equals("desc")) {
      throw Problem.malformed("order has to be asc or desc");
    }
    for (Locks.Sort each : Locks.Sort.values()) {
      if (each.name().toLowerCase(Locale.ROOT).equals(sort)) {
        return new Locks.Query(text("filter", ""), each, order.equals("desc"));
      }
    }
    throw Problem.malformed("sort has to be name, holder, since, left, token or waiters");
  }
}
