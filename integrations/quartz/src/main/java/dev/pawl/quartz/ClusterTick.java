package dev.pawl.quartz;

import dev.pawl.Job;
import dev.pawl.text.DurationText;
import java.nio.charset.Charset;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.quartz.Calendar;
import org.quartz.CalendarIntervalTrigger;
import org.quartz.CronTrigger;
import org.quartz.DailyTimeIntervalTrigger;
import org.quartz.DateBuilder.IntervalUnit;
import org.quartz.JobDetail;
import org.quartz.Scheduler;
import org.quartz.SimpleTrigger;
import org.quartz.Trigger;
import org.quartz.utils.Key;

/**
 * Which run of which job a fire is, so that all nodes mean the same.
 *
 * <ul>
 *   <li>Of a cron trigger, and of all that have times of their own: the <em>scheduled</em> time.
 *       One that misfired has the present as its time, which is another one on each node; its tick
 *       is the last time of its schedule before that.
 *   <li>Of what repeats from its start, which is another moment on each node: the period, on the
 *       store's clock.
 *   <li>Of what fires once, at a time: a name of its own, since a name remembers its latest tick
 *       only.
 * </ul>
 *
 * @param name the name of the job in Pawl
 */
record ClusterTick(String name, Job.Tick tick) {

  private static final Duration FURTHEST_BACK = Duration.ofDays(366);

  /** Tells whether a trigger is known to this node alone, and so runs here. */
  static boolean isOfThisNode(Trigger trigger) {
    return firesOnce(trigger) && (hasRandomName(trigger.getKey()) || isManual(trigger));
  }

  /** What {@code Scheduler.triggerJob} makes. */
  private static boolean isManual(Trigger trigger) {
    return trigger.getKey().getName().startsWith("MT_")
        && trigger.getKey().getGroup().equals(Scheduler.DEFAULT_GROUP);
  }

  /** One that has fired repeats, though a misfire has left no more repeats of it. */
  private static boolean firesOnce(Trigger trigger) {
    return trigger instanceof SimpleTrigger simple
        && (simple.getRepeatInterval() == 0
            || (simple.getRepeatCount() == 0 && simple.getPreviousFireTime() == null));
  }

  /** Tells whether Quartz made up the name, another one on each node. */
  static boolean hasRandomName(Key<?> key) {
    String group = UUID.nameUUIDFromBytes(key.getGroup().getBytes(Charset.defaultCharset())) + "";
    return key.getName().startsWith(group.substring(24) + "-");
  }

  /**
   * Returns the tick of a fire.
   *
   * @param fireTime when it was to fire, as Quartz has it
   * @throws IllegalArgumentException if nodes could not agree on it; the message says why
   */
  static ClusterTick of(
      String scheduler,
      Trigger trigger,
      JobDetail job,
      Instant fireTime,
      @Nullable Calendar calendar) {
    String name = "quartz:" + scheduler + ":" + identity(trigger, job);
    Optional<Duration> period = period(trigger);
    if (period.isPresent()) {
      return new ClusterTick(name, every(trigger, period.get()));
    }
    if (firesOnce(trigger)) {
      Instant start = trigger.getStartTime().toInstant();
      return new ClusterTick(name + "@" + start, new Job.Tick.At(start));
    }
    return new ClusterTick(name, new Job.Tick.At(scheduled(trigger, fireTime, calendar)));
  }

  private static Job.Tick every(Trigger trigger, Duration period) {
    try {
      return Job.every(period);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "trigger "
              + trigger.getKey()
              + " repeats every "
              + DurationText.format(period)
              + ", which nodes cannot share ("
              + e.getMessage()
              + "): put its job into a group that runs on every node (onEveryNode)",
          e);
    }
  }

  /** Returns the name of the lock that runs of a job hold of which only one may run at a time. */
  static String lock(String scheduler, JobDetail job) {
    return "quartz:" + scheduler + ":" + identity(job);
  }

  // Names that are the same on all nodes.

  private static String identity(Trigger trigger, JobDetail job) {
    return hasRandomName(trigger.getKey())
        ? identity(job) + "[" + schedule(trigger) + "]"
        : identity(trigger.getKey());
  }

  private static String identity(JobDetail job) {
    return hasRandomName(job.getKey()) ? job.getJobClass().getName() : identity(job.getKey());
  }

  private static String identity(Key<?> key) {
    return key.getGroup().replace("%", "%25").replace("/", "%2F") + "/" + key.getName();
  }

  private static String schedule(Trigger trigger) {
    if (trigger instanceof CronTrigger cron) {
      return cron.getCronExpression() + " " + cron.getTimeZone().getID();
    }
    if (trigger instanceof SimpleTrigger simple) {
      return "every " + DurationText.format(Duration.ofMillis(simple.getRepeatInterval()));
    }
    if (trigger instanceof CalendarIntervalTrigger calendar) {
      return "every " + calendar.getRepeatInterval() + " " + calendar.getRepeatIntervalUnit();
    }
    if (trigger instanceof DailyTimeIntervalTrigger daily) {
      return "every "
          + daily.getRepeatInterval()
          + " "
          + daily.getRepeatIntervalUnit()
          + " on "
          + daily.getDaysOfWeek()
          + " from "
          + daily.getStartTimeOfDay()
          + " to "
          + daily.getEndTimeOfDay();
    }
    throw new IllegalArgumentException(
        "trigger of job "
            + trigger.getJobKey()
            + " has no name, and other nodes could not tell it from others: give it one by"
            + " withIdentity(…)");
  }

  // Times that are the same on all nodes.

  private static Optional<Duration> period(Trigger trigger) {
    if (trigger instanceof SimpleTrigger simple) {
      return firesOnce(trigger)
          ? Optional.empty()
          : Optional.of(Duration.ofMillis(simple.getRepeatInterval()));
    }
    if (trigger instanceof CalendarIntervalTrigger calendar) {
      return Optional.of(
          unit(calendar.getRepeatIntervalUnit()).multipliedBy(calendar.getRepeatInterval()));
    }
    return Optional.empty();
  }

  /** Months and years are about as long as this: ticks of a period bear a tenth more or less. */
  private static Duration unit(IntervalUnit unit) {
    return switch (unit) {
      case MILLISECOND -> Duration.ofMillis(1);
      case SECOND -> Duration.ofSeconds(1);
      case MINUTE -> Duration.ofMinutes(1);
      case HOUR -> Duration.ofHours(1);
      case DAY -> Duration.ofDays(1);
      case WEEK -> Duration.ofDays(7);
      case MONTH -> Duration.ofHours(730);
      case YEAR -> Duration.ofDays(365);
    };
  }

  private static Instant scheduled(Trigger trigger, Instant fireTime, @Nullable Calendar calendar) {
    if (fireTime.equals(nextAfter(fireTime.minusMillis(1), trigger))) {
      return fireTime;
    }
    for (Duration back = Duration.ofSeconds(1);
        back.compareTo(FURTHEST_BACK) < 0;
        back = back.multipliedBy(2)) {
      Instant last = lastSince(fireTime.minus(back), trigger, fireTime, calendar);
      if (last != null) {
        return last;
      }
    }
    return fireTime;
  }

  private static @Nullable Instant lastSince(
      Instant since, Trigger trigger, Instant fireTime, @Nullable Calendar calendar) {
    Instant last = null;
    Instant time = nextAfter(since, trigger);
    while (time != null && !time.isAfter(fireTime)) {
      if (calendar == null || calendar.isTimeIncluded(time.toEpochMilli())) {
        last = time;
      }
      time = nextAfter(time, trigger);
    }
    return last;
  }

  private static @Nullable Instant nextAfter(Instant time, Trigger trigger) {
    Date next = trigger.getFireTimeAfter(Date.from(time));
    return next == null ? null : next.toInstant();
  }
}
