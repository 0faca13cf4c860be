package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.spi.Capability;
import dev.pawl.spi.LockStore;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** I10: instances that live for a moment, as those of a command that is run once a minute. */
abstract class ShortLivedCases extends SpiCases {

  private static final int MANY = 60;
  private static final int SOME = 12;

  ShortLivedCases(StoreConformance suite) {
    super(suite);
  }

  @Test
  void nothingIsLeftOfInstancesThatLiveForAMoment() {
    for (int i = 0; i < MANY; i++) {
      String name = name("" + i);
      briefly(
          instance -> {
            try (ScriptedNode node = node(instance, "brief")) {
              // A store over several servers may be closed before all of them know of the release.
              ScriptedClaim claim = node.claim(name).lease(suite.shortLease().multipliedBy(4));
              claim.take();
              claim.release();
            }
          });
    }

    nothingIsLeft();
  }

  @Test
  void whatIsReleasedByOneInstanceIsFreeForTheNext() {
    long last = 0;
    for (int i = 0; i < SOME; i++) {
      long before = last;
      long[] token = new long[1];
      briefly(
          instance -> {
            try (ScriptedNode node = node(instance, "brief")) {
              ScriptedClaim claim = node.claim(name());
              token[0] = claim.take().token();
              assertThat(token[0]).as("token").isGreaterThan(before);
              claim.release();
            }
          });
      last = token[0];
    }
  }

  @Test
  @Needs(Capability.FAIR)
  void instancesThatComeAndGoTakeNothingFromThoseThatStay() throws Exception {
    inTime(
        suite.patience(),
        name -> {
          ScriptedNode a = node("a");
          ScriptedNode b = node("b");
          ScriptedClaim holder = a.claim(name);
          holder.take();
          for (int i = 0; i < SOME; i++) {
            briefly(
                instance -> {
                  try (ScriptedNode node = node(instance, "brief")) {
                    node.claim(name).beRefused();
                  }
                });
          }
          ScriptedClaim waiter = b.claim(name);
          waiter.enqueue();
          holder.mustHold();
          holder.release();

          b.hearsOf(waiter);
          waiter.mustHold();
          waiter.release();
        });
  }

  /** Uses one more instance, and closes it, unless all instances are one. */
  private void briefly(Consumer<LockStore> use) {
    LockStore stays = store();
    LockStore instance = freshStore();
    try {
      use.accept(instance);
    } finally {
      if (instance != stays) {
        instance.close();
      }
    }
  }
}
