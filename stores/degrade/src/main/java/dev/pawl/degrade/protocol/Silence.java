package dev.pawl.degrade.protocol;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * For how long a node has seen each member's beat unchanged, by its own monotonic clock: how a dead
 * member is waited out. It begins with the answer that showed the beat, so that a mode lease that
 * the beat gave ends before.
 */
public final class Silence {

  private record Heard(long beat, long sinceNanos) {}

  private final Map<String, Heard> heard = new HashMap<>();

  /** Takes a record that was answered at that moment. */
  public void onRecord(ModeRecord record, long answeredNanos) {
    heard.keySet().removeIf(node -> record.member(node).isEmpty());
    for (Member member : record.members()) {
      Heard before = heard.get(member.node());
      if (before == null || before.beat() != member.beat()) {
        heard.put(member.node(), new Heard(member.beat(), answeredNanos));
      }
    }
  }

  /** Returns how a member is to be taken off the list whose mode lease has surely ended. */
  public Optional<Change.Expel> silent(long leaseNanos, long nowNanos) {
    long nanos = leaseNanos + Standing.driftNanos(leaseNanos);
    for (Map.Entry<String, Heard> entry : heard.entrySet()) {
      if (nowNanos - entry.getValue().sinceNanos() >= nanos) {
        return Optional.of(new Change.Expel(entry.getKey(), entry.getValue().beat()));
      }
    }
    return Optional.empty();
  }

  /** Returns the members whose mode lease, of that length, has surely ended. */
  public Set<String> dead(long leaseNanos, long nowNanos) {
    long nanos = leaseNanos + Standing.driftNanos(leaseNanos);
    return heard.entrySet().stream()
        .filter(entry -> nowNanos - entry.getValue().sinceNanos() >= nanos)
        .map(Map.Entry::getKey)
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Returns the members that have written within that time, as far as this node knows. */
  public Set<String> heardWithin(long nanos, long nowNanos) {
    Set<String> fresh = new HashSet<>();
    heard.forEach(
        (node, last) -> {
          if (nowNanos - last.sinceNanos() < nanos) {
            fresh.add(node);
          }
        });
    return fresh;
  }
}
