package dev.pawl.quartz;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Inspector;
import dev.pawl.memory.MemoryStore;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.quartz.CronScheduleBuilder;
import org.quartz.JobKey;
import org.quartz.SchedulerException;
import org.quartz.TriggerBuilder;

/** What {@code pawl jobs pause} and {@code resume} do to the triggers of all nodes. */
class OperatorsTest {

  private static final String TIMER_JOB = "quartz:reports:DEFAULT/timer";

  private final MemoryStore store = new MemoryStore();
  private final List<TestNode> nodes = new ArrayList<>();

  @AfterEach
  void close() throws SchedulerException {
    for (TestNode node : nodes) {
      node.close();
    }
    store.close();
  }

  private TestNode node() throws SchedulerException {
    TestNode node = new TestNode(store, context -> {});
    nodes.add(node);
    node.schedule(
        TestNode.Plain.class,
        TriggerBuilder.newTrigger()
            .withIdentity("timer")
            .withSchedule(CronScheduleBuilder.cronSchedule("* * * * * ?"))
            .build());
    return node.start();
  }

  private int runs() {
    return nodes.stream().mapToInt(node -> node.ran.size()).sum();
  }

  @Test
  void aTriggerThatAnOperatorPausesRunsOnNoNodeUntilItIsResumed() throws Exception {
    node();
    node();
    Eventually.until("runs", () -> runs() >= 2);
    Inspector inspector = nodes.get(0).pawl.inspector();
    inspector.pauseJob(TIMER_JOB, "ann", "the printer is out of paper");
    Eventually.until("the last run has ended", () -> nodes.stream().allMatch(TestNode::isIdle));
    int before = runs();
    int fired = nodes.get(0).fired();
    // A node that comes now is paused, too.
    TestNode later = node();
    Eventually.until("times have passed here", () -> nodes.get(0).fired() >= fired + 3);
    Eventually.until("times have passed there", () -> later.fired() >= 2);
    assertThat(runs()).isEqualTo(before);
    assertThat(later.heard).isEmpty();

    later.scheduler.triggerJob(JobKey.jobKey("send"));
    Eventually.until("a call by hand runs all the same", () -> later.ran.size() == 1);

    int paused = runs();
    inspector.resumeJob(TIMER_JOB, "ann", "there is paper");
    Eventually.until("it runs again", () -> runs() >= paused + 2);
  }
}
