package dev.pawl.quartz;

import dev.pawl.Pawl;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Which node of Pawl a job store works with: its own, by a URL, or one of the application's. */
final class StoreNode {

  private static final Map<String, Pawl> OF_THE_APPLICATION = new ConcurrentHashMap<>();
  private static final String ALL_SCHEDULERS = "";

  private @Nullable Pawl pawl;
  private boolean isOwner;

  StoreNode(@Nullable Pawl pawl) {
    this.pawl = pawl;
  }

  static void use(Pawl pawl) {
    use(ALL_SCHEDULERS, pawl);
  }

  static void use(String scheduler, Pawl pawl) {
    Objects.requireNonNull(scheduler, "schedulerName");
    OF_THE_APPLICATION.put(scheduler, Objects.requireNonNull(pawl, "pawl"));
  }

  /** Returns the node for the scheduler of that name, and opens it if it is none of others. */
  Pawl open(String scheduler, StoreSettings settings) {
    Pawl node = pawl;
    if (node == null && !settings.namesAStore()) {
      Pawl forAll = OF_THE_APPLICATION.get(ALL_SCHEDULERS);
      node = OF_THE_APPLICATION.getOrDefault(scheduler, forAll);
    }
    if (node == null) {
      node = settings.open();
      isOwner = true;
    } else {
      settings.checkFor(node::label);
    }
    pawl = node;
    return node;
  }

  /** Closes the node if it was opened here. */
  void close() {
    Pawl node = pawl;
    if (isOwner && node != null) {
      node.close();
    }
  }
}
