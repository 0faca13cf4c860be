/** Metrics and traces of locks and jobs, by Micrometer. */
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"})
module dev.pawl.micrometer {
  requires transitive dev.pawl;
  requires static org.jspecify;

  // Without descriptors; each has a name of its own in its manifest.
  requires micrometer.commons;
  requires transitive micrometer.core;
  requires transitive micrometer.observation;

  exports dev.pawl.micrometer;
}
