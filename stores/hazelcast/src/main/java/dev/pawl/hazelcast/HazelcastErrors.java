package dev.pawl.hazelcast;

import com.hazelcast.client.HazelcastClientNotActiveException;
import com.hazelcast.client.HazelcastClientOfflineException;
import com.hazelcast.core.HazelcastInstanceNotActiveException;
import com.hazelcast.core.HazelcastOverloadException;
import com.hazelcast.core.IndeterminateOperationStateException;
import com.hazelcast.nio.serialization.HazelcastSerializationException;
import com.hazelcast.partition.NoDataMemberInClusterException;
import com.hazelcast.splitbrainprotection.SplitBrainProtectionException;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.PawlException;
import dev.pawl.StoreUnavailableException;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/** What a failure means: nothing happened, nobody knows, or there is something to mend (I11). */
final class HazelcastErrors {

  private HazelcastErrors() {}

  /**
   * Returns what is told of a failed call.
   *
   * @param moved whether members changed while it was under way: Hazelcast may then have sent it
   *     twice, and what the second one met says nothing about the first
   */
  static PawlException of(String where, Throwable error, boolean moved) {
    Throwable cause = unwrap(error);
    if (cause instanceof PawlException known) {
      return known;
    }
    if (isMissingClass(cause)) {
      return new PawlException(
          where
              + ": a member does not have Pawl on its class path, and a client has no clock of the"
              + " members to go by; add pawl-hazelcast and pawl-core to the members",
          cause);
    }
    Optional<String> forbidden = forbidden(cause);
    if (forbidden.isPresent()) {
      return new PawlException(where + " does not permit it: " + forbidden.get(), cause);
    }
    if (cause instanceof HazelcastSerializationException
        || cause instanceof IllegalArgumentException
        || cause instanceof ClassCastException) {
      return new PawlException(
          where
              + " cannot read a lock's entry or an answer: another version of Pawl, or somebody"
              + " else's map; use one version on all members and clients, or choose another prefix",
          cause);
    }
    if (cause instanceof HazelcastClientOfflineException
        || cause instanceof HazelcastOverloadException) {
      return new StoreUnavailableException(where + " is not connected to any member", cause);
    }
    if (cause instanceof SplitBrainProtectionException && !moved) {
      return new StoreUnavailableException(
          where + " has fewer members than its split-brain protection wants", cause);
    }
    if (cause instanceof NoDataMemberInClusterException && !moved) {
      return new StoreUnavailableException(where + " has no member that keeps data", cause);
    }
    if (cause instanceof IndeterminateOperationStateException) {
      return new OutcomeUnknownException(where + ": no backup has confirmed it", cause);
    }
    if (cause instanceof TimeoutException) {
      return new OutcomeUnknownException(where + " did not answer", cause);
    }
    if (cause instanceof HazelcastInstanceNotActiveException
        || cause instanceof HazelcastClientNotActiveException) {
      return new OutcomeUnknownException(where + " was shut down", cause);
    }
    String why = cause.getMessage();
    return new OutcomeUnknownException(
        where + " did not answer: " + (why == null ? cause.getClass().getSimpleName() : why),
        cause);
  }

  private static Optional<String> forbidden(Throwable error) {
    for (Throwable each = error; each != null; each = each.getCause()) {
      if (each instanceof SecurityException) {
        return Optional.of(String.valueOf(each.getMessage()));
      }
    }
    return Optional.empty();
  }

  static boolean isMissingClass(Throwable error) {
    for (Throwable each = error; each != null; each = each.getCause()) {
      if (each instanceof ClassNotFoundException
          || each instanceof NoClassDefFoundError
          || String.valueOf(each.getMessage()).contains("ClassNotFoundException: dev.pawl.")) {
        return true;
      }
    }
    return false;
  }

  static Throwable unwrap(Throwable error) {
    Throwable cause = error.getCause();
    return (error instanceof CompletionException || error instanceof ExecutionException)
            && cause != null
        ? unwrap(cause)
        : error;
  }

  /** The store was closed by this process. */
  static StoreUnavailableException closed(String where) {
    return new StoreUnavailableException("the store at " + where + " is closed", null);
  }

  /** A renewal of the name was not answered, and is still under way: no other is sent behind it. */
  static StoreUnavailableException silent(String where) {
    return new StoreUnavailableException(
        where + " has not answered the last renewal of the name yet", null);
  }

  /** The instance is shut down: by the application, with its process, or a client by itself. */
  static StoreUnavailableException shutDown(String where) {
    return new StoreUnavailableException(
        where
            + ": the HazelcastInstance was shut down, by the application, which should close Pawl"
            + " before, or by itself, as a client does that gives up connecting",
        null);
  }
}
