/** A Quartz cluster without tables: jobs and triggers in memory, and Pawl decides who fires. */
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"})
module dev.pawl.quartz {
  requires transitive dev.pawl;
  requires static org.jspecify;
  requires org.slf4j;

  // No descriptor, and a name of its own in its manifest.
  requires transitive org.quartz;

  exports dev.pawl.quartz;
}
