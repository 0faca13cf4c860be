package dev.pawl.degrade;

import dev.pawl.spi.Capability;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.Register;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What the primary can do, in a register of the backup: a node that is started while the primary is
 * down promises no more than the pair can keep.
 */
final class PrimaryAbilities {

  private static final String KEY = "pawl:pair-abilities";

  private PrimaryAbilities() {}

  /** Returns what the primary could do when a node last reached it; empty if none ever did. */
  static Optional<Set<Capability>> read(LockStore backup) {
    return register(backup).value().map(PrimaryAbilities::parse);
  }

  private static Register register(LockStore backup) {
    return Identity.await(backup.registers().read(KEY), backup.describe());
  }

  /** A word that this version does not know is of a later one. */
  private static Set<Capability> parse(String text) {
    Set<String> words = Set.of(text.split(" ", -1));
    return Arrays.stream(Capability.values())
        .filter(one -> words.contains(one.name()))
        .collect(Collectors.toCollection(() -> EnumSet.noneOf(Capability.class)));
  }

  /** Writes it down, unless it stands there already. */
  static void write(LockStore backup, Set<Capability> capabilities) {
    String text = capabilities.stream().map(Enum::name).sorted().collect(Collectors.joining(" "));
    Register seen = register(backup);
    if (!seen.value().equals(Optional.of(text))) {
      // If another node was faster, it has written the same.
      var unused =
          Identity.await(
              backup.registers().compareAndSet(seen, Optional.of(text)), backup.describe());
    }
  }
}
