package dev.pawl.degrade.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The one record of a pair, in the backup; changed by compare-and-set alone, and only as {@link
 * ModeMachine} says. There is no time in it: no step of a clock makes it mean something else.
 *
 * @param stores which stores it is about
 * @param epoch rises with each change of mode
 * @param asked the epoch that a member must have confirmed to go on; completing a change asks for
 *     nothing
 * @param mode where the locks are
 * @param primaryNames the epoch that names carry in the primary
 * @param backupNames the epoch that names carry in the backup
 * @param tokens which tokens are given out
 * @param beats the highest beat that any member had
 * @param members the nodes that have a mode lease, in no order that means anything
 * @param switches how often the primary was found dead of late: the locks return the later. One is
 *     taken off for each hour in which the mode does not change
 * @param pinned whether a person has chosen the backup, so that only a person returns from it
 * @param reason why the mode was changed last, for people
 */
public record ModeRecord(
    Stores stores,
    long epoch,
    long asked,
    Mode mode,
    long primaryNames,
    long backupNames,
    Tokens tokens,
    long beats,
    List<Member> members,
    int switches,
    boolean pinned,
    String reason) {

  public ModeRecord {
    members = List.copyOf(members);
  }

  /** Returns the record of a pair that was never used. */
  public static ModeRecord first(Stores stores) {
    return new ModeRecord(
        stores, 1, 1, Mode.PRIMARY, 1, 0, Tokens.FIRST, 0, List.of(), 0, false, "new");
  }

  /** Returns a node's entry. */
  public Optional<Member> member(String node) {
    for (Member member : members) {
      if (member.node().equals(node)) {
        return Optional.of(member);
      }
    }
    return Optional.empty();
  }

  /** Tells whether a member has confirmed what the last change asks for. */
  public boolean hasConfirmed(Member member) {
    return member.epoch() >= asked;
  }

  /** Tells whether nobody stands in the way of completing a change. */
  public boolean isSettled() {
    for (Member member : members) {
      if (!hasConfirmed(member) || (mode == Mode.RETURNING && !member.ready())) {
        return false;
      }
    }
    return true;
  }

  /** Tells whether everybody has confirmed the last change, and sees the primary well. */
  public boolean isCalm() {
    for (Member member : members) {
      if (!hasConfirmed(member) || member.sight() != Sight.WELL) {
        return false;
      }
    }
    return true;
  }

  /** Returns how many have a say. */
  public int voters() {
    int voters = 0;
    for (Member member : members) {
      voters += member.votes() ? 1 : 0;
    }
    return voters;
  }

  ModeRecord with(Member changed) {
    List<Member> list = new ArrayList<>(members);
    list.removeIf(member -> member.node().equals(changed.node()));
    list.add(changed);
    return with(changed.beat(), list);
  }

  ModeRecord without(String node) {
    return with(beats, members.stream().filter(m -> !m.node().equals(node)).toList());
  }

  private ModeRecord with(long highestBeat, List<Member> list) {
    return new ModeRecord(
        stores,
        epoch,
        asked,
        mode,
        primaryNames,
        backupNames,
        tokens,
        highestBeat,
        list,
        switches,
        pinned,
        reason);
  }

  ModeRecord of(Stores other) {
    return new ModeRecord(
        other,
        epoch,
        asked,
        mode,
        primaryNames,
        backupNames,
        tokens,
        beats,
        members,
        switches,
        pinned,
        reason);
  }

  ModeRecord with(Tokens other) {
    return new ModeRecord(
        stores,
        epoch,
        asked,
        mode,
        primaryNames,
        backupNames,
        other,
        beats,
        members,
        switches,
        pinned,
        reason);
  }

  /** Returns the next epoch, which every member has to confirm. */
  ModeRecord asking(Mode next, long primary, long backup, String why) {
    return new ModeRecord(
        stores, epoch + 1, epoch + 1, next, primary, backup, tokens, beats, members, switches,
        pinned, why);
  }

  ModeRecord pinned(boolean pin) {
    return with(switches, pin);
  }

  ModeRecord switches(int count) {
    return with(count, pinned);
  }

  private ModeRecord with(int count, boolean pin) {
    return new ModeRecord(
        stores,
        epoch,
        asked,
        mode,
        primaryNames,
        backupNames,
        tokens,
        beats,
        members,
        count,
        pin,
        reason);
  }

  /** Returns the next epoch, which those who confirmed this one need not confirm. */
  ModeRecord completed(Mode next, Tokens from) {
    return new ModeRecord(
        stores,
        epoch + 1,
        asked,
        next,
        primaryNames,
        backupNames,
        from,
        beats,
        members,
        switches,
        pinned,
        reason);
  }
}
