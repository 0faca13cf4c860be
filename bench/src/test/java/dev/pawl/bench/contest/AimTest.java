package dev.pawl.bench.contest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class AimTest {

  private final Suite suite = Suite.named("redis");
  private final Results results = new Results(suite, Map.of());

  private void measured(String entrant, Scenario scenario, Metric metric, double... samples) {
    for (double sample : samples) {
      results.add(scenario, suite.entrant(entrant), metric, sample);
    }
  }

  @Test
  void aMultipleOfAnotherIsJudgedByTheMediansOfTheSameRun() {
    measured("raw-jedis", Scenario.ONE_THREAD, Metric.PAIRS, 900, 1_000, 5_000);
    measured("pawl-jedis", Scenario.ONE_THREAD, Metric.PAIRS, 890, 100, 9_000);

    Aim near = Aim.atLeast(0.89, "raw-jedis", Scenario.ONE_THREAD, "pawl-jedis");
    Aim far = Aim.atLeast(0.9, "raw-jedis", Scenario.ONE_THREAD, "pawl-jedis");
    assertThat(near.judge(results)).contains(new Aim.Verdict(true, "0.89 × (890 against 1,000)"));
    assertThat(far.judge(results)).map(Aim.Verdict::met).contains(false);
  }

  @Test
  void aNumberIsJudgedByItself() {
    measured("pawl-jedis", Scenario.RECOVERY, Metric.RECOVERY, 10.5);

    Aim aim = Aim.atMost(11, Metric.RECOVERY, Scenario.RECOVERY, "pawl-jedis");
    assertThat(aim.judge(results)).contains(new Aim.Verdict(true, "10.5"));
  }

  @Test
  void whatWasNotMeasuredIsNeitherMetNorMissed() {
    measured("pawl-jedis", Scenario.ONE_THREAD, Metric.PAIRS, 890);

    assertThat(Aim.atLeast(1, "redisson", Scenario.ONE_THREAD, "pawl-jedis").judge(results))
        .isEmpty();
  }
}
