package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Election;
import dev.pawl.Pawl;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Elections: one leader at a time, and always another. */
abstract class ElectionCases extends ApiCases {

  ElectionCases(StoreConformance suite) {
    super(suite);
  }

  @Test
  void oneLeadsAndTheNextFollowsWhenItSteps() throws Exception {
    List<Long> tokens = new CopyOnWriteArrayList<>();
    AtomicInteger leading = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    List<Election.Campaign> campaigns = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      campaigns.add(
          election(pawl("n" + i))
              .lead(
                  term -> {
                    tokens.add(term.token());
                    most.accumulateAndGet(leading.incrementAndGet(), Math::max);
                    try {
                      new CountDownLatch(1).await();
                    } finally {
                      leading.decrementAndGet();
                    }
                  }));
    }
    for (int i = 1; i <= 3; i++) {
      int terms = i;
      // Who is closed before its body has begun never leads.
      eventually(
          "somebody leads",
          () ->
              tokens.size() >= terms && campaigns.stream().anyMatch(Election.Campaign::isLeading));
      Election.Campaign leader =
          campaigns.stream().filter(Election.Campaign::isLeading).findFirst().orElseThrow();
      leader.close();
      campaigns.remove(leader);
      eventually("the term ends", () -> leading.get() <= 1);
    }
    eventually("nobody leads", () -> leading.get() == 0);
    assertThat(most).as("leaders at a time").hasValue(1);
    assertThat(tokens).hasSize(3).isSorted().doesNotHaveDuplicates();
    nobodyIsLeft();
  }

  @Test
  void aLeaderThatLosesItsTermStepsDownAndStandsAgain() throws Exception {
    StallingStore stalling = new StallingStore(store());
    Pawl a = closedAtTheEnd(Pawl.builder(stalling).label("a").build());
    CountDownLatch lost = new CountDownLatch(1);
    CountDownLatch again = new CountDownLatch(1);
    List<Long> tokens = new CopyOnWriteArrayList<>();
    try (Election.Campaign campaign =
        a.election(name(), brief())
            .lead(
                term -> {
                  tokens.add(term.token());
                  if (tokens.size() > 1) {
                    again.countDown();
                  }
                  term.onLost(lost::countDown);
                  stalling.stalls = tokens.size() == 1;
                  try {
                    new CountDownLatch(1).await();
                  } finally {
                    stalling.stalls = false;
                  }
                })) {
      assertThat(lost.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(again.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(tokens).isSorted().doesNotHaveDuplicates();
    }
    nobodyIsLeft();
  }

  @Test
  void aLeaderThatReturnsOrThrowsIsElectedAgain() throws Exception {
    CountDownLatch terms = new CountDownLatch(3);
    try (Election.Campaign campaign =
        election(pawl("a"))
            .lead(
                term -> {
                  term.ensureHeld();
                  terms.countDown();
                  if (terms.getCount() == 1) {
                    throw new IllegalStateException("a bad day");
                  }
                })) {
      assertThat(terms.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void closingTheNodeEndsItsTerm() throws Exception {
    Pawl a = pawl("a");
    CountDownLatch began = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    Election.Campaign campaign =
        election(a)
            .lead(
                term -> {
                  began.countDown();
                  try {
                    new CountDownLatch(1).await();
                  } finally {
                    ended.countDown();
                  }
                });
    assertThat(began.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();

    a.close();

    assertThat(ended.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(campaign.isLeading()).isFalse();
    campaign.close();
    nobodyIsLeft();
  }

  private Election election(Pawl pawl) {
    return pawl.election(name(), options());
  }
}
