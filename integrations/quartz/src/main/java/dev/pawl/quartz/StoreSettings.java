package dev.pawl.quartz;

import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.quartz.JobDetail;
import org.quartz.Trigger;

/** What {@code org.quartz.jobStore.*} says. */
final class StoreSettings {

  private static final String PREFIX = "org.quartz.jobStore.";

  /** The group of the jobs by which Quartz' XML plugin looks for changed files on its own node. */
  private static final String XML_PLUGIN = "JobSchedulingDataLoaderPlugin";

  private static final int MOST_RETRIES = 50;

  private @Nullable String url;
  private @Nullable String label;
  private LockOptions options = LockOptions.DEFAULT;
  private int retryElsewhere;
  private final Set<String> onEveryNode = new HashSet<>(Set.of(XML_PLUGIN));

  void url(String text) {
    url = text.strip();
  }

  void label(String text) {
    label = text.strip();
  }

  void lease(long millis) {
    try {
      options = options.withLease(Duration.ofMillis(millis));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          PREFIX + "lease is " + millis + " milliseconds: " + e.getMessage(), e);
    }
  }

  void retryElsewhere(int times) {
    if (times < 0 || times > MOST_RETRIES) {
      throw new IllegalArgumentException(
          PREFIX + "retryElsewhere is " + times + "; allowed is 0 to " + MOST_RETRIES);
    }
    retryElsewhere = times;
  }

  int retryElsewhere() {
    return retryElsewhere;
  }

  void onEveryNode(String groups) {
    Arrays.stream(groups.split(","))
        .map(String::strip)
        .filter(group -> !group.isEmpty())
        .forEach(onEveryNode::add);
  }

  /** Tells whether nodes have to agree on who fires a trigger. */
  boolean isShared(Trigger trigger, JobDetail job) {
    return !isOnEveryNode(job) && !ClusterTick.isOfThisNode(trigger);
  }

  /** Tells whether a job runs once at a time in the cluster, whichever of its triggers fires. */
  boolean isExclusive(JobDetail job) {
    return job.isConcurrentExecutionDisallowed() && !isOnEveryNode(job);
  }

  private boolean isOnEveryNode(JobDetail job) {
    return onEveryNode.contains(job.getKey().getGroup());
  }

  LockOptions options() {
    return options;
  }

  boolean namesAStore() {
    return url != null && !url.isEmpty();
  }

  /** Opens the store that is named. */
  Pawl open() {
    if (url == null || url.isEmpty()) {
      throw new IllegalStateException(
          PREFIX
              + "store is missing: set it to the URL of a store, such as"
              + " jdbc:postgresql://db/app or sqlite:/var/lib/app/locks.db, or call"
              + " PawlJobStore.use(pawl) before the scheduler is made");
    }
    try {
      Pawl.Builder builder = Pawl.builder(url);
      return (label == null || label.isEmpty() ? builder : builder.label(label)).build();
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(PREFIX + "store: " + e.getMessage(), e);
    }
  }

  /** Refuses what has no meaning for a node of the application's. */
  void checkFor(Supplier<String> node) {
    if (label != null) {
      throw new IllegalStateException(
          PREFIX + "label is set, but the node is the application's, " + node.get());
    }
  }
}
