package dev.pawl.hazelcast;

import com.hazelcast.cluster.Member;
import com.hazelcast.core.HazelcastInstance;
import dev.pawl.hazelcast.member.MemberProbe;
import dev.pawl.hazelcast.member.MemberReport;
import dev.pawl.spi.Finding;
import dev.pawl.text.DurationText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** What makes a lock on a cluster unsafe: how its members keep the map, and how many they are. */
final class HazelcastExamination {

  private final HazelcastInstance instance;
  private final HazelcastOptions options;
  private final List<Finding> findings = new ArrayList<>();

  HazelcastExamination(HazelcastInstance instance, HazelcastOptions options) {
    this.instance = instance;
    this.options = options;
  }

  List<Finding> findings() throws InterruptedException {
    Map<Member, Future<byte[]>> asked = MemberProbe.ask(instance, options.prefix());
    findings.add(members(asked.size()));
    List<MemberReport> reports = new ArrayList<>();
    for (Map.Entry<Member, Future<byte[]>> each : asked.entrySet()) {
      ask(each.getKey(), each.getValue()).ifPresent(reports::add);
    }
    reports.stream().reduce(MemberReport::worse).ifPresent(worst -> judge(worst, asked.size()));
    findings.add(
        Finding.warning(
            "Hazelcast's maps stay available when the network is cut, at the price of consistency",
            "until both sides have noticed, or if owner and backup are on the smaller side, a name"
                + " may be held on both",
            "give every write the token of its lease, and let the resource refuse lower ones"));
    return findings;
  }

  private static Finding members(int count) {
    return count > 1
        ? Finding.fine("members that keep data: " + count)
        : Finding.warning(
            "one member keeps data",
            "when it stops every lock is forgotten, and may be given to a second holder before the"
                + " first finds out",
            "run three members, so that each name has a backup");
  }

  private Optional<MemberReport> ask(Member member, Future<byte[]> answer)
      throws InterruptedException {
    try {
      byte[] report = answer.get(options.timeout().toNanos(), TimeUnit.NANOSECONDS);
      return Optional.of(MemberReport.decode(report));
    } catch (ExecutionException | IllegalArgumentException e) {
      findings.add(
          HazelcastErrors.isMissingClass(e)
              ? Finding.unsafe(
                  "member " + member.getAddress() + " does not know Pawl",
                  "names that it owns cannot be locked, and it keeps no backup of the others",
                  "add pawl-hazelcast and pawl-core to the class path of every member")
              : Finding.unsafe(
                  "member " + member.getAddress() + " runs another version of Pawl",
                  "names that it owns cannot be locked from here",
                  "use one version of Pawl on all members and clients"));
    } catch (TimeoutException e) {
      findings.add(
          Finding.warning(
              "member "
                  + member.getAddress()
                  + " did not answer within "
                  + DurationText.format(options.timeout()),
              "names that it owns cannot be locked until it answers, or is taken for dead",
              "look at its log, and at how long the cluster waits for a silent member"
                  + " (hazelcast.max.no.heartbeat.seconds)"));
    }
    return Optional.empty();
  }

  private void judge(MemberReport map, int members) {
    if (map.backups() == 0) {
      findings.add(
          Finding.unsafe(
              "the map " + options.locks() + " has no synchronous backup",
              "when a member dies, what it owned is free at once, while its holders go on",
              "set backup-count to 1 or more"));
    } else {
      findings.add(Finding.fine("backup-count is " + map.backups()));
    }
    if (map.forgets()) {
      findings.add(
          Finding.unsafe(
              "entries of the map " + options.locks() + " are evicted",
              "a lock that is held may be forgotten, and given to a second holder",
              "set the eviction policy to NONE, and max-idle-seconds to 0"));
    }
    if (map.protection() == 0) {
      findings.add(
          Finding.unsafe(
              "the map " + options.locks() + " has no split-brain protection",
              "when the network between members is cut, both sides grant the same names",
              "start members with HazelcastMembers.configure(config, "
                  + Math.max(2, members / 2 + 1)
                  + "), or set split-brain-protection-ref on the map"));
    } else if (map.protection() <= members / 2) {
      findings.add(
          Finding.unsafe(
              "the split-brain protection wants "
                  + map.protection()
                  + " of "
                  + members
                  + " members",
              "both halves of a cluster that is cut may have as many",
              "set minimum-cluster-size to " + (members / 2 + 1)));
    } else {
      findings.add(Finding.fine("the split-brain protection wants " + map.protection()));
    }
    if (!map.failsUnlessBackedUp()) {
      findings.add(
          Finding.warning(
              MemberProbe.FAIL_IF_NOT_BACKED_UP + " is not true",
              "a grant counts though no backup confirmed it, and is lost if its member dies",
              "set it to true on every member"));
    }
  }
}
