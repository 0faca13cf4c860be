package dev.pawl.cli.look;

import dev.pawl.JobControl;
import dev.pawl.JournalEntry;
import dev.pawl.LockInfo;
import dev.pawl.PastRun;
import dev.pawl.cli.look.StoreView.Now;
import dev.pawl.console.json.Json;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What a store knows, with the field names that programs rely on. */
final class LockJson {

  private LockJson() {}

  static Map<String, @Nullable Object> of(LockInfo lock, Now now) {
    return Json.object(
        "name",
        lock.name(),
        "state",
        LockWords.state(lock),
        "token",
        LockWords.token(lock),
        "mark",
        lock.mark(),
        "tick",
        LockWords.tick(lock),
        "holders",
        lock.holders().stream().map(holder -> of(holder, now)).toList(),
        "waiters",
        lock.waiters().stream().map(waiter -> of(waiter, now)).toList());
  }

  static Map<String, @Nullable Object> of(LockInfo.Holder holder, Now now) {
    return Json.object(
        "label",
        holder.label(),
        "claim",
        holder.claim(),
        "actor",
        holder.actor(),
        "exclusive",
        holder.exclusive(),
        "permits",
        holder.exclusive() ? null : holder.permits(),
        "token",
        holder.token(),
        "since",
        holder.since(),
        "heldSeconds",
        now.since(holder.since()),
        "leftSeconds",
        holder.left());
  }

  private static Map<String, @Nullable Object> of(LockInfo.Waiter waiter, Now now) {
    return Json.object(
        "label",
        waiter.label(),
        "claim",
        waiter.claim(),
        "actor",
        waiter.actor(),
        "exclusive",
        waiter.exclusive(),
        "permits",
        waiter.exclusive() ? null : waiter.permits(),
        "since",
        waiter.since(),
        "waitedSeconds",
        now.since(waiter.since()));
  }

  static Map<String, @Nullable Object> of(PastRun run) {
    return Json.object(
        "tick",
        run.tick(),
        "outcome",
        run.ending().name(),
        "by",
        run.node(),
        "start",
        run.start(),
        "tookSeconds",
        run.took(),
        "token",
        run.token(),
        "error",
        run.error());
  }

  static Map<String, @Nullable Object> of(JobControl.Pause pause) {
    return Json.object("by", pause.by(), "reason", pause.reason(), "since", pause.since());
  }

  static Map<String, @Nullable Object> of(JobControl.Permit permit) {
    return Json.object(
        "tick",
        permit.tick(),
        "by",
        permit.by(),
        "reason",
        permit.reason(),
        "since",
        permit.since());
  }

  static Map<String, @Nullable Object> of(JournalEntry entry) {
    return Json.object(
        "at",
        entry.at(),
        "name",
        entry.name(),
        "kind",
        entry.kind(),
        "token",
        entry.token(),
        "node",
        entry.node(),
        "details",
        new TreeMap<>(entry.details()));
  }
}
