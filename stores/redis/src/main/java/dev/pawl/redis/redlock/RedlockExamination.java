package dev.pawl.redis.redlock;

import dev.pawl.redis.port.RedisProbe;
import dev.pawl.redis.store.RedisExamination;
import dev.pawl.redis.store.RedisExamination.Facts;
import dev.pawl.spi.Finding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What makes Redlock unsafe: votes that are not independent, and servers that forget theirs. */
public final class RedlockExamination {

  private RedlockExamination() {}

  public static CompletionStage<List<Finding>> of(List<RedisProbe> probes, Duration restartDelay) {
    List<CompletableFuture<Answer>> asked =
        probes.stream()
            .map(
                probe ->
                    RedisExamination.facts(probe)
                        .handle((facts, error) -> new Answer(probe, facts, error))
                        .toCompletableFuture())
            .toList();
    return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
        .thenApply(
            done -> findings(asked.stream().map(CompletableFuture::join).toList(), restartDelay));
  }

  private static List<Finding> findings(List<Answer> answers, Duration restartDelay) {
    List<Facts> known = new ArrayList<>();
    List<Finding> findings = new ArrayList<>();
    for (Answer answer : answers) {
      if (answer.facts != null) {
        known.add(answer.facts);
        findings.addAll(findings(answer.facts, restartDelay));
      } else if (answer.error != null) {
        findings.add(RedisExamination.unknown(answer.probe, answer.error));
      }
    }
    findings.add(0, size(answers.size(), known.size()));
    findings.addAll(sameServer(known));
    findings.addAll(sameHost(answers.stream().map(Answer::probe).toList()));
    return findings;
  }

  /** What one server has told, or why it did not. */
  private record Answer(RedisProbe probe, @Nullable Facts facts, @Nullable Throwable error) {}

  private static Finding size(int servers, int known) {
    int spare = servers - (servers / 2 + 1);
    String what = servers + " servers, of which " + spare + " may be down";
    return known == servers
        ? Finding.fine(what)
        : Finding.warning(
            what + ", and " + (servers - known) + " did not answer",
            "with fewer than a majority nothing can be locked",
            "bring the others back");
  }

  private static List<Finding> findings(Facts facts, Duration restartDelay) {
    List<Finding> findings = new ArrayList<>();
    findings.add(RedisExamination.version(facts));
    findings.add(role(facts));
    findings.add(RedisExamination.eviction(facts));
    RedisExamination.memory(facts).ifPresent(findings::add);
    findings.add(restart(facts, restartDelay));
    return findings;
  }

  private static Finding role(Facts facts) {
    return facts.isReplica()
        ? Finding.unsafe(
            facts.address() + " is a replica of " + facts.info("master_host"),
            "its vote is another server's: a majority of such votes is none",
            "make it a server of its own (REPLICAOF NO ONE)")
        : Finding.fine(facts.address() + " is a master");
  }

  private static Finding restart(Facts facts, Duration restartDelay) {
    if (facts.forgetsNothing()) {
      return Finding.fine(facts.address() + " has every vote on disk (appendfsync always)");
    }
    return restartDelay.isZero()
        ? Finding.warning(
            facts.address() + " may forget its votes in a crash" + facts.syncText(),
            "if it restarts within a lease it votes again, and two nodes may hold one lock",
            "set restartDelay to the longest lease in use, or appendonly yes and appendfsync always")
        : Finding.fine(
            facts.address()
                + " does not vote for "
                + restartDelay.toSeconds()
                + " s after a restart; no lease may be longer");
  }

  /** Two addresses of one server: it would vote twice. */
  private static List<Finding> sameServer(List<Facts> known) {
    return grouped(known, facts -> facts.info("run_id")).values().stream()
        .filter(group -> group.size() > 1)
        .map(
            group ->
                Finding.unsafe(
                    listed(group.stream().map(Facts::address).toList()) + " are the same server",
                    "it votes more than once: a majority of the votes is not one of servers",
                    "name each server once"))
        .toList();
  }

  private static List<Finding> sameHost(List<RedisProbe> probes) {
    return grouped(probes, probe -> host(probe.address())).values().stream()
        .filter(group -> group.size() > 1)
        .map(
            group ->
                Finding.warning(
                    listed(group.stream().map(RedisProbe::address).toList()) + " are on one host",
                    "they go down, and forget, together",
                    "put each server on a machine of its own"))
        .toList();
  }

  private static String host(String address) {
    return address.substring(0, address.lastIndexOf(':'));
  }

  private static <T> Map<String, List<T>> grouped(List<T> all, Function<T, String> by) {
    return all.stream().collect(Collectors.groupingBy(by, LinkedHashMap::new, Collectors.toList()));
  }

  private static String listed(List<String> addresses) {
    return String.join(", ", addresses);
  }
}
