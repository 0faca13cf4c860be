package dev.pawl.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class VerdictTest {

  private static final int NODES = 3;

  private final Map<Act, List<Long>> ticks = new EnumMap<>(Act.class);
  private final List<Message> sent = new ArrayList<>();
  private final List<Message> refused = new ArrayList<>();

  @BeforeEach
  void allGoesWell() {
    long tick = 0;
    for (Act act : Act.of(Act.Tale.NODES)) {
      for (int i = 0; i < act.ticks(); i++) {
        tick++;
        ticks.computeIfAbsent(act, none -> new ArrayList<>()).add(tick);
        for (String customer : Act.CUSTOMERS) {
          for (int copy = 1; copy <= act.copies(NODES); copy++) {
            boolean second = act.isTakenOver() && !customer.equals("Ann");
            sent.add(new Message(act, tick, customer, second ? 2 : copy));
          }
        }
      }
    }
    refused.add(new Message(Act.STALLED, tick, "Ben", 1));
  }

  @Test
  void whatWasToBeSentIsRight() {
    assertThat(verdict().isOk()).as("%s", verdict()).isTrue();
    assertThat(verdict().rows())
        .extracting(Verdict.Row::counted)
        .containsExactly(36L, 12L, 6L, 6L, 1L);
    assertThat(verdict().rows().get(0).note())
        .isEqualTo("12 by node 1, 12 by node 2, 12 by node 3");
  }

  @Test
  void aMessageTwiceIsWrong() {
    sent.add(firstOf(Act.WITH_PAWL));
    assertThat(wrong()).containsExactly("2 with Pawl, 12 reminders");
  }

  @Test
  void aMissingMessageIsWrong() {
    sent.remove(firstOf(Act.KILLED));
    sent.remove(firstOf(Act.KILLED));
    assertThat(wrong()).containsExactly("3 killed while sending, 6 reminders");
  }

  @Test
  void oneTooManyAndOneTooFewAreWrongThoughTheTotalIsRight() {
    Message first = firstOf(Act.WITH_PAWL);
    sent.remove(first);
    sent.add(new Message(first.act(), first.tick(), "Ben", first.node()));
    assertThat(wrong()).containsExactly("2 with Pawl, 12 reminders");
  }

  @Test
  void anActThatOneNodePlayedAloneHasShownNoTakeOver() {
    sent.replaceAll(
        message ->
            message.act() == Act.STALLED
                ? new Message(message.act(), message.tick(), message.customer(), 1)
                : message);
    assertThat(wrong()).containsExactly("4 stalled past its lease, 6 reminders");
  }

  @Test
  void aStaleMessageThatNobodyRefusedIsWrong() {
    refused.clear();
    assertThat(wrong()).containsExactly("  stale messages refused");
  }

  @Test
  void anActThatWasNotPlayedIsWrong() {
    sent.clear();
    ticks.clear();
    refused.clear();
    assertThat(wrong()).hasSize(5);
  }

  private Message firstOf(Act act) {
    return sent.stream().filter(message -> message.act() == act).findFirst().orElseThrow();
  }

  private Verdict verdict() {
    return Verdict.of(NODES, ticks, sent, refused);
  }

  private List<String> wrong() {
    return verdict().rows().stream().filter(row -> !row.ok()).map(Verdict.Row::what).toList();
  }
}
