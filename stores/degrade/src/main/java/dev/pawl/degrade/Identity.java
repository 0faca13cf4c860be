package dev.pawl.degrade;

import dev.pawl.PawlException;
import dev.pawl.StoreUnavailableException;
import dev.pawl.spi.Capability;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.PairedStore;
import dev.pawl.spi.Register;
import dev.pawl.spi.Registers;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which store that is: a random id in a register of its own, and its address for people. Two nodes
 * may know one store by two addresses; two stores never have the same id.
 */
final class Identity {

  private static final Logger LOG = LoggerFactory.getLogger(Identity.class);
  private static final String KEY = "pawl:identity";

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private Identity() {}

  /** Waits for an answer, not for longer than it takes to be sure that there is none. */
  static <T> T await(CompletionStage<T> stage, String what) {
    CompletableFuture<T> answer = stage.toCompletableFuture();
    try {
      return answer.orTimeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS).join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof TimeoutException) {
        throw new StoreUnavailableException("no answer from " + what + " within 10 s", e);
      }
      throw e.getCause() instanceof PawlException failure
          ? failure
          : new StoreUnavailableException(what + ": " + e.getCause(), e.getCause());
    }
  }

  /** Returns the id of a store; gives it that one, or a new one, if it has none. */
  private static String idOf(LockStore store, Optional<String> known) {
    Registers registers = store.registers();
    Register seen = await(registers.read(KEY), store.describe());
    if (seen.value().isEmpty()) {
      String id = known.orElseGet(() -> UUID.randomUUID().toString());
      seen = await(registers.compareAndSet(seen, Optional.of(id)), store.describe()).register();
    }
    return seen.value().orElseThrow();
  }

  /** Returns what the backup is known by. */
  static String ofBackup(LockStore backup, Optional<String> recorded) {
    String id = idOf(backup, Optional.empty());
    return recorded.isPresent() && recorded.get().startsWith(id + " ")
        ? recorded.get()
        : id + " " + backup.describe();
  }

  /**
   * Returns what the primary is known by.
   *
   * @param recorded what the record says, if there is one
   * @throws IllegalArgumentException if it is another one
   */
  static String ofPrimary(LockStore primary, Optional<String> recorded) {
    String address = " " + primary.describe();
    if (!primary.capabilities().contains(Capability.REGISTERS)) {
      String known = recorded.orElse("-" + address);
      return known.equals("-" + address) ? known : mismatch(known, primary);
    }
    Register seen = await(primary.registers().read(KEY), primary.describe());
    if (recorded.isEmpty()) {
      return idOf(primary, Optional.empty()) + address;
    }
    String known = recorded.get();
    String id = known.substring(0, known.indexOf(' '));
    if (seen.value().isEmpty() && known.endsWith(address)) {
      LOG.warn(
          "{} is where the primary of the pair was, and knows nothing of it: it is taken for that"
              + " one, which has lost its data. If the address means another server on this host"
              + " than on the others, as localhost may, stop this node: it would lock by itself",
          primary.describe());
      id = idOf(primary, Optional.of(id));
    } else {
      id = seen.value().orElse("");
    }
    return known.startsWith(id + " ") && !id.isEmpty() ? known : mismatch(known, primary);
  }

  private static String mismatch(String known, LockStore primary) {
    throw new IllegalArgumentException(
        "the primary of this pair is "
            + known
            + ", and this node was configured with "
            + primary.describe()
            + ", which is another store; give all nodes the same two stores");
  }

  /** Gives a primary that may have lost its data its id and the sign again. */
  static void restore(LockStore primary, String known, String pair) {
    if (primary.capabilities().contains(Capability.REGISTERS)) {
      String id = idOf(primary, Optional.of(known.split(" ", 2)[0]));
      if (!known.startsWith(id + " ")) {
        mismatch(known, primary);
      }
      sign(primary, pair);
    }
  }

  /**
   * Sees to it that a backup is not the primary of a pair: two nodes that have the stores in
   * another order would each have their locks elsewhere.
   *
   * @throws IllegalArgumentException if it is
   */
  static void checkUnsigned(LockStore backup) {
    if (await(backup.registers().read(PairedStore.SIGN), backup.describe()).value().isPresent()) {
      throw new IllegalArgumentException(
          backup.describe()
              + " is the primary of a pair, and cannot be a backup as well; give all nodes the same"
              + " two stores in the same order");
    }
  }

  /** Leaves a sign in the primary for nodes that are configured with it alone. */
  static void sign(LockStore primary, String pair) {
    if (!primary.capabilities().contains(Capability.REGISTERS)) {
      return;
    }
    Register seen = await(primary.registers().read(PairedStore.SIGN), primary.describe());
    if (seen.value().isEmpty()) {
      await(primary.registers().compareAndSet(seen, Optional.of(pair)), primary.describe());
    }
  }
}
