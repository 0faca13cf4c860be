package dev.pawl.degrade;

import dev.pawl.spi.LockStore;
import dev.pawl.spi.StoreProvider;

/**
 * Opens two stores as a pair: {@code redis://cache:6379 | jdbc:postgresql://db/app}, the primary
 * first; a third part has settings, {@code mode-lease=10s&vote=no}.
 */
public final class PairStoreProvider implements StoreProvider {

  private static final String BETWEEN = " | ";

  @Override
  public String form() {
    return "PRIMARY | BACKUP [| mode-lease=60s&vote=yes]";
  }

  @Override
  public boolean accepts(String url) {
    return url.contains(BETWEEN);
  }

  @Override
  public boolean combines() {
    return true;
  }

  @Override
  public LockStore open(String url) {
    Parts parts = Parts.of(url);
    StoreProvider primary = StoreProvider.forUrl(parts.primary());
    StoreProvider backup = StoreProvider.forUrl(parts.backup());
    return Joining.open(
        () -> primary.open(parts.primary()), backup.open(parts.backup()), parts.options());
  }

  @Override
  public LockStore openExisting(String url) {
    Parts parts = Parts.of(url);
    StoreProvider primary = StoreProvider.forUrl(parts.primary());
    StoreProvider backup = StoreProvider.forUrl(parts.backup());
    return Joining.look(
        () -> primary.openExisting(parts.primary()),
        () -> backup.openExisting(parts.backup()),
        parts.options());
  }

  /** The parts of a URL. */
  private record Parts(String primary, String backup, PairOptions options) {

    static Parts of(String url) {
      String[] parts = url.split(" \\| ", -1);
      if (parts.length < 2 || parts[0].isBlank() || parts[1].isBlank()) {
        throw new IllegalArgumentException(
            "a pair of stores is \"PRIMARY | BACKUP\", two URLs with \" | \" between them");
      }
      PairOptions options = PairOptions.DEFAULT;
      for (int i = 2; i < parts.length; i++) {
        options = options.with(parts[i].strip());
      }
      return new Parts(parts[0].strip(), parts[1].strip(), options);
    }
  }
}
