package dev.pawl.console.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.PawlException;
import dev.pawl.StoreUnavailableException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store that is not there yet, or not any more. */
class OpenStoreTest {

  @TempDir Path directory;

  /** Kept, since a lease whose handle nobody has ends. */
  private final List<Lease> held = new ArrayList<>();

  @Test
  void oneThatCannotBeReachedIsTriedAgain() throws Exception {
    AtomicReference<String> trouble = new AtomicReference<>("no way to it");
    try (OpenStore store =
        OpenStore.by(
            () -> {
              if (trouble.get() != null) {
                throw new StoreUnavailableException(trouble.get(), null);
              }
              return Pawl.connect("memory:");
            },
            "redis://nowhere")) {
      assertThat(store.trouble()).isEqualTo(new Trouble("unreachable", "no way to it"));
      assertThat(store.describe()).isEqualTo("redis://nowhere");
      assertThat(store.isAbsent()).isFalse();
      assertThatThrownBy(store::inspector).hasMessage("no way to it");
      trouble.set("still none");
      Await.until(() -> "still none".equals(store.trouble().message()) || tries(store));
      trouble.set(null);
      Await.until(() -> tries(store));
      assertThat(store.trouble()).isNull();
      assertThat(store.describe()).isEqualTo("memory");
    }
  }

  private static boolean tries(OpenStore store) {
    try {
      store.inspector();
      return true;
    } catch (StoreUnavailableException e) {
      return false;
    }
  }

  @Test
  void whatPeopleHaveToMendIsThrownAtOnce() {
    assertThatThrownBy(
            () ->
                OpenStore.by(
                    () -> {
                      throw new PawlException("the password is wrong", null);
                    },
                    "redis://there"))
        .hasMessage("the password is wrong");
  }

  @Test
  void oneWithoutADirectoryIsAbsentUntilThereIsOne() throws Exception {
    Path file = directory.resolve("later/locks.db");
    String url = "sqlite:" + file;
    try (OpenStore store =
        OpenStore.by(() -> Pawl.builder(url).existingStore().build(), "sqlite")) {
      assertThat(store.isAbsent()).isTrue();
      assertThat(store.trouble()).isNull();
      assertThat(store.inspector().list("", 10)).isEmpty();
      Files.createDirectories(file.getParent());
      try (Pawl pawl = Pawl.connect(url)) {
        held.add(pawl.lock("a").acquire());
        Await.until(() -> store.inspector().listInUse("", 10).size() == 1);
        assertThat(store.isAbsent()).isFalse();
      }
    }
  }
}
