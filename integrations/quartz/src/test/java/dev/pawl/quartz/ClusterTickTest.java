package dev.pawl.quartz;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Job;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import org.junit.jupiter.api.Test;
import org.quartz.SimpleScheduleBuilder;
import org.quartz.SimpleTrigger;
import org.quartz.TriggerBuilder;
import org.quartz.spi.OperableTrigger;

class ClusterTickTest {

  private static final int REPEATS = 4;

  /** Its new start is the present, which is another one on each node: each would run it. */
  @Test
  void theLastRepeatIsThatOfItsPeriodAlsoWhereItMisfires() {
    OperableTrigger trigger =
        (OperableTrigger)
            TriggerBuilder.newTrigger()
                .withIdentity("timer")
                .startAt(Date.from(Instant.now().minusSeconds(3_600)))
                .withSchedule(SimpleScheduleBuilder.repeatSecondlyForTotalCount(REPEATS + 1, 10))
                .build();
    trigger.computeFirstFireTime(null);
    for (int i = 0; i < REPEATS; i++) {
      trigger.triggered(null);
    }
    trigger.updateAfterMisfire(null);
    assertThat(((SimpleTrigger) trigger).getRepeatCount()).isZero();

    ClusterTick tick =
        ClusterTick.of(
            "reports",
            trigger,
            TestNode.job(TestNode.Plain.class),
            trigger.getNextFireTime().toInstant(),
            null);

    assertThat(tick)
        .isEqualTo(
            new ClusterTick("quartz:reports:DEFAULT/timer", Job.every(Duration.ofSeconds(10))));
    assertThat(ClusterTick.isOfThisNode(trigger)).isFalse();
  }
}
