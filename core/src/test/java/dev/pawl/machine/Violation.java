package dev.pawl.machine;

import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a proof throws when the machine broke a rule. */
final class Violation extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final Rule rule;

  Violation(Rule rule, String what) {
    super(rule + " (" + rule.says + "): " + what);
    this.rule = rule;
  }

  Rule rule() {
    return rule;
  }

  /** Throws unless it holds; the text is put together only then. */
  static void unless(boolean holds, Rule rule, Object... what) {
    if (!holds) {
      throw new Violation(rule, Stream.of(what).map(String::valueOf).collect(Collectors.joining()));
    }
  }

  /** The rules, by the number of their invariant where they have one. */
  enum Rule {
    SHAPE("a claim is in one place, and nobody stays who is over by the clock"),
    I1_EXCLUSION("permits held never exceed the capacity"),
    I3_TOKENS("tokens rise"),
    I4_OWNER("a command touches the claim it names and no other"),
    I5_IDEMPOTENCE("a command sent twice has the effect of once"),
    I5_ENDED("a claim that ended is never granted"),
    I6_WINDOW("a grant that nobody asked for lasts for the claim window"),
    I7_ORDER("fair claims are granted in the order of their arrival"),
    I8_NOBODY_STUCK("no turn ends with somebody waiting who could be granted"),
    LOST_WAITER("a waiter leaves the queue by a grant, a dismissal, its own wish or its death"),
    MARK("a mark only rises, and only by its holder; whoever wants less is dismissed"),
    REPLY("the reply says what happened"),
    SIGNAL("everybody concerned is told, and nobody else"),
    FORGETTING("a forgotten name behaves like a remembered one");

    private final String says;

    Rule(String says) {
      this.says = says;
    }
  }
}
