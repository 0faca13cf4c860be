package dev.pawl.redis.store;

import dev.pawl.PawlException;
import dev.pawl.redis.port.RedisErrors;
import dev.pawl.redis.port.RedisProbe;
import dev.pawl.spi.Finding;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/**
 * What makes locks on a server unsafe: keys that are evicted, a replica in the master's place, data
 * that goes with a restart, a failover that loses the last grants.
 */
public final class RedisExamination {

  private static final int LEAST_MAJOR = 6;
  private static final int LEAST_MINOR = 2;

  private RedisExamination() {}

  /**
   * Looks at each server; what is found out about one begins with its address.
   *
   * @param awaited how many replicas an acquire waits for
   */
  public static CompletionStage<List<Finding>> of(List<RedisProbe> probes, int awaited) {
    List<CompletableFuture<List<Finding>>> parts =
        probes.stream()
            .map(
                probe ->
                    facts(probe)
                        .thenApply(facts -> findings(facts, awaited))
                        .exceptionally(error -> List.of(unknown(probe, error)))
                        .toCompletableFuture())
            .toList();
    return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new))
        .thenApply(done -> parts.stream().flatMap(part -> part.join().stream()).toList());
  }

  /** Reads what there is to know of a server; settings that it does not tell are unknown. */
  public static CompletionStage<Facts> facts(RedisProbe probe) {
    return probe
        .info()
        .thenCombine(
            probe.setting("save").handle((save, error) -> new Setting(save, error != null)),
            (info, save) -> new Facts(probe.address(), parsed(info), save))
        .thenCombine(
            probe.setting("appendfsync").handle((sync, error) -> new Setting(sync, error != null)),
            Facts::withSync);
  }

  private static Map<String, String> parsed(String info) {
    return info.lines()
        .filter(line -> line.indexOf(':') > 0)
        .collect(
            Collectors.toMap(
                line -> line.substring(0, line.indexOf(':')),
                line -> line.substring(line.indexOf(':') + 1).strip(),
                (first, second) -> second));
  }

  public static Finding unknown(RedisProbe probe, Throwable error) {
    Throwable cause = RedisErrors.unwrap(error);
    String why = cause instanceof PawlException ? cause.getMessage() : cause.toString();
    return Finding.warning(
        probe.address() + " does not tell about itself: " + why,
        "whether it evicts keys, keeps its data or has replicas is not known",
        "let the user run INFO and CONFIG GET, or look yourself");
  }

  private static List<Finding> findings(Facts facts, int awaited) {
    List<Finding> findings = new ArrayList<>();
    findings.add(version(facts));
    findings.add(role(facts));
    findings.add(eviction(facts));
    memory(facts).ifPresent(findings::add);
    findings.add(persistence(facts));
    if (!facts.isReplica()) {
      findings.add(replicas(facts, awaited));
    }
    return findings;
  }

  public static Finding version(Facts facts) {
    String version = facts.info("redis_version");
    String[] parts = version.split("\\.", -1);
    boolean known = parts.length > 1 && (parts[0] + parts[1]).matches("\\d{2,6}");
    boolean old =
        known
            && (Integer.parseInt(parts[0]) < LEAST_MAJOR
                || (Integer.parseInt(parts[0]) == LEAST_MAJOR
                    && Integer.parseInt(parts[1]) < LEAST_MINOR));
    String what = facts.address() + " is Redis " + (version.isEmpty() ? "of no version" : version);
    return known && !old
        ? Finding.fine(what)
        : Finding.warning(
            what, "nothing before Redis 6.2 is tested", "use Redis 6.2 or later for locks");
  }

  static Finding role(Facts facts) {
    return facts.isReplica()
        ? Finding.unsafe(
            facts.address() + " is a replica of " + facts.info("master_host"),
            "it refuses to lock; and where it was made writable, its locks are its own and are"
                + " overwritten by the master's",
            "connect to the master, or through redis-sentinel:// or redis-cluster://")
        : Finding.fine(facts.address() + " is a master");
  }

  public static Finding eviction(Facts facts) {
    String policy = facts.info("maxmemory_policy");
    String what = facts.address() + " has maxmemory-policy " + policy;
    if (policy.equals("noeviction")) {
      return Finding.fine(what);
    }
    String why = "a key that is evicted is a lock that is forgotten while it is held";
    String remedy = "set maxmemory-policy noeviction, or give locks a server of their own";
    return facts.info("maxmemory").equals("0")
        ? Finding.warning(what + ", and no limit that it would apply to yet", why, remedy)
        : Finding.unsafe(what, why, remedy);
  }

  /** What is wrong with the memory that it may use; nothing if there is room, or no limit. */
  public static Optional<Finding> memory(Facts facts) {
    String most = facts.info("maxmemory");
    String used = facts.info("used_memory");
    boolean known = most.matches("[1-9]\\d{0,17}") && used.matches("\\d{1,18}");
    return known && Long.parseLong(used) >= Long.parseLong(most)
        ? Optional.of(
            Finding.warning(
                facts.address() + ": its memory is full (" + used + " of " + most + " bytes)",
                "what is held can be renewed, released and passed on; whoever asks for something"
                    + " new is refused",
                "make room, raise maxmemory, or give locks a server of their own"))
        : Optional.empty();
  }

  private static Finding persistence(Facts facts) {
    String lost =
        "after a crash it has forgotten who holds what, and grants it again; the first holder finds"
            + " out at its next renewal. Tokens rise all the same, by the server's clock, so that a"
            + " resource that checks them is safe";
    String remedy = "set appendonly yes, or have every write checked by a fence";
    if (facts.appends()) {
      return Finding.fine(facts.address() + " keeps an append-only file" + facts.syncText());
    }
    if (facts.save().refused()) {
      return Finding.warning(
          facts.address() + " has no append-only file, and refuses to tell of snapshots (CONFIG)",
          lost,
          remedy);
    }
    return Finding.warning(
        facts.address()
            + (facts.save().value().isEmpty()
                ? " keeps nothing on disk"
                : " keeps snapshots only (save " + facts.save().value() + ")"),
        facts.save().value().isEmpty() ? lost : "what was granted since the last is lost: " + lost,
        remedy);
  }

  private static Finding replicas(Facts facts, int awaited) {
    String text = facts.info("connected_slaves");
    int replicas = text.matches("\\d{1,6}") ? Integer.parseInt(text) : 0;
    String what = facts.address() + " has " + replicas + " replicas";
    if (replicas < awaited) {
      return Finding.warning(
          what + ", and " + awaited + " are waited for",
          "an acquire that is not confirmed fails: nobody gets a lock",
          "connect more replicas, or lower the parameter replicas");
    }
    return replicas == 0 || awaited > 0
        ? Finding.fine(what + (replicas == 0 ? "" : ", " + awaited + " are waited for"))
        : Finding.warning(
            what + ", and none is waited for",
            "Redis replicates after it has answered: a failover can lose a lock that was just"
                + " granted, and grant it again",
            "set the parameter replicas (waitForReplicas), which makes it less likely, and check"
                + " tokens at the resource");
  }

  /** A setting, or that it was refused. */
  record Setting(String value, boolean refused) {}

  /** What a server has told about itself. */
  public record Facts(String address, Map<String, String> info, Setting save, Setting sync) {

    public Facts(String address, Map<String, String> info, Setting save) {
      this(address, info, save, new Setting("", true));
    }

    Facts withSync(Setting value) {
      return new Facts(address, info, save, value);
    }

    public String info(String field) {
      return info.getOrDefault(field, "");
    }

    public boolean isReplica() {
      return info("role").equals("slave");
    }

    boolean appends() {
      return info("aof_enabled").equals("1");
    }

    /** Tells whether it has on disk what it has answered to. */
    public boolean forgetsNothing() {
      return appends() && sync.value().equals("always");
    }

    public String syncText() {
      return sync.refused() ? "" : " (appendfsync " + sync.value() + ")";
    }
  }
}
