/** The conformance suite that every store passes; JUnit calls its cases by reflection. */
module dev.pawl.testkit {
  requires transitive dev.pawl;
  requires org.assertj.core;
  requires static org.jspecify;
  requires transitive org.junit.jupiter.api;

  exports dev.pawl.testkit;

  opens dev.pawl.testkit to
      org.junit.platform.commons;
}
