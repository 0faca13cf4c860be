package dev.pawl.zookeeper.claims;

import static java.util.concurrent.CompletableFuture.completedFuture;

import dev.pawl.LockInfo;
import dev.pawl.UnsupportedByStoreException;
import dev.pawl.spi.Command;
import dev.pawl.spi.EvictReply;
import dev.pawl.spi.Listing;
import dev.pawl.zookeeper.session.Answers;
import dev.pawl.zookeeper.session.Errors;
import dev.pawl.zookeeper.session.Node;
import dev.pawl.zookeeper.session.Session;
import dev.pawl.zookeeper.tree.Entry;
import dev.pawl.zookeeper.tree.Names;
import dev.pawl.zookeeper.tree.Place;
import dev.pawl.zookeeper.tree.Standing;
import dev.pawl.zookeeper.tree.Tokens;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.jspecify.annotations.Nullable;

/** What people see, and what they remove by force. */
final class Inspecting {

  /** How many names are looked at together. */
  private static final int TOGETHER = 64;

  private final Registry registry;
  private final Line line;

  Inspecting(Registry registry, Line line) {
    this.registry = registry;
    this.line = line;
  }

  /** A name, and the nodes of those in its line by their segment. */
  private record View(String name, Line.Seen seen, Map<String, Node> nodes) {

    Map<String, Integer> lowered() {
      Map<String, Integer> lowered = new HashMap<>();
      for (Place place : seen.places()) {
        Node node = nodes.get(place.segment());
        if (node != null) {
          int permits = Entry.decode(node.data()).permits();
          lowered.put(place.segment(), Math.min(place.permits(), permits));
        }
      }
      return lowered;
    }

    Standing standing() {
      List<Place> there =
          seen.places().stream().filter(place -> nodes.containsKey(place.segment())).toList();
      return new Line.Seen(there, seen.mark()).standing(lowered());
    }
  }

  CompletableFuture<Optional<LockInfo>> find(String name) {
    Session session = registry.link.session();
    CompletableFuture<Boolean> synced = session.sync(registry.paths.lock(name));
    return synced.thenCompose(done -> look(session, name)).thenApply(this::info);
  }

  private CompletableFuture<View> look(Session session, String name) {
    CompletableFuture<Optional<Node>> own =
        Absence.of(session.read(registry.paths.lock(name), null));
    return line.look(name, true, session)
        .thenCompose(seen -> own.thenCompose(node -> look(session, name, seen, node)));
  }

  private CompletableFuture<View> look(
      Session session, String name, Line.Seen seen, Optional<Node> own) {
    return own.isPresent() && own.get().isEphemeral()
        ? completedFuture(simpleView(name, seen, own.get()))
        : session
            .readAll(seen.places().stream().map(place -> registry.path(name, place)).toList())
            .thenApply(nodes -> view(name, seen, nodes));
  }

  /** A name that somebody holds by the simple strategy. */
  private static View simpleView(String name, Line.Seen seen, Node node) {
    Place place = Place.simple(Entry.decode(node.data()).claim());
    return new View(
        name, new Line.Seen(List.of(place), seen.mark()), Map.of(place.segment(), node));
  }

  private static View view(String name, Line.Seen seen, List<@Nullable Node> nodes) {
    Map<String, Node> found = new HashMap<>();
    for (int i = 0; i < nodes.size(); i++) {
      Node node = nodes.get(i);
      if (node != null) { // Else it has left since.
        found.put(seen.places().get(i).segment(), node);
      }
    }
    return new View(name, seen, found);
  }

  private Optional<LockInfo> info(View view) {
    Standing standing = view.standing();
    if (standing.holders().isEmpty()
        && standing.waiters().isEmpty()
        && view.seen.mark().isEmpty()) {
      return Optional.empty();
    }
    long now = registry.link.clock().micros();
    long token = view.seen.mark().map(Mark::token).orElse(0L);
    List<LockInfo.Holder> holders = new ArrayList<>();
    for (Place place : standing.holders()) {
      Node node = view.nodes.get(place.segment());
      if (node != null) {
        LockInfo.Holder holder = holder(node, now);
        holders.add(holder);
        token = Math.max(token, holder.token() + Entry.decode(node.data()).span() - 1);
      }
    }
    List<LockInfo.Waiter> waiters = new ArrayList<>();
    for (Place place : standing.waiters()) {
      Node node = view.nodes.get(place.segment());
      if (node != null) {
        waiters.add(waiter(place, node));
      }
    }
    return Optional.of(
        new LockInfo(view.name, token, Mark.reached(view.seen.mark()), holders, waiters));
  }

  private static LockInfo.Holder holder(Node node, long nowMicros) {
    Entry entry = Entry.decode(node.data());
    long now = nowMicros == 0 ? node.stat().getMtime() * 1_000 : nowMicros;
    return new LockInfo.Holder(
        entry.claim().toString(),
        entry.label(),
        entry.actor(),
        entry.permits() == Command.EVERYTHING,
        entry.permits(),
        Tokens.first(node.stat().getCzxid()),
        instant(Line.since(node, entry)),
        Duration.of(Line.until(node, entry, now) - now, ChronoUnit.MICROS));
  }

  private static LockInfo.Waiter waiter(Place place, Node node) {
    Entry entry = Entry.decode(node.data());
    return new LockInfo.Waiter(
        entry.claim().toString(),
        entry.label(),
        entry.actor(),
        place.isExclusive(),
        entry.permits(),
        instant(node.stat().getCtime() * 1_000));
  }

  private static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  // Many names.

  CompletableFuture<List<LockInfo>> list(Listing listing) {
    Session session = registry.link.session();
    CompletableFuture<Boolean> synced = session.sync(registry.paths.locks());
    CompletableFuture<Optional<List<String>>> used =
        Absence.of(session.children(registry.paths.locks(), null));
    CompletableFuture<Optional<List<String>>> marked =
        Absence.of(session.children(registry.paths.marks(), null));
    return synced
        .thenCombine(used, (done, names) -> names.orElse(List.of()))
        .thenCombine(marked, (names, more) -> inOrder(listing, names, more.orElse(List.of())))
        .thenCompose(names -> collect(session, listing, names, 0, new ArrayList<>()));
  }

  private static List<String> inOrder(Listing listing, List<String> used, List<String> marked) {
    TreeSet<String> names = new TreeSet<>((a, b) -> Arrays.compareUnsigned(bytes(a), bytes(b)));
    for (List<String> segments : List.of(used, listing.onlyInUse() ? List.<String>of() : marked)) {
      segments.stream()
          .flatMap(segment -> Names.find(segment).stream()) // Others may be somebody else's.
          .filter(name -> name.startsWith(listing.prefix()))
          .forEach(names::add);
    }
    return new ArrayList<>(names);
  }

  private static byte[] bytes(String name) {
    return name.getBytes(StandardCharsets.UTF_8);
  }

  private CompletableFuture<List<LockInfo>> collect(
      Session session, Listing listing, List<String> names, int from, List<LockInfo> found) {
    if (from >= names.size() || found.size() >= listing.limit()) {
      return completedFuture(found.subList(0, Math.min(found.size(), listing.limit())));
    }
    int to = Math.min(names.size(), from + TOGETHER);
    List<CompletableFuture<View>> views =
        names.subList(from, to).stream().map(name -> look(session, name)).toList();
    return CompletableFuture.allOf(views.toArray(CompletableFuture[]::new))
        .thenCompose(
            done -> {
              views.stream()
                  .map(CompletableFuture::join)
                  .map(this::info)
                  .flatMap(Optional::stream)
                  .filter(listing::admits)
                  .forEach(found::add);
              return collect(session, listing, names, to, found);
            });
  }

  // Force.

  /** Removes a holder, and writes down for its session that it was removed, both or neither. */
  CompletableFuture<EvictReply> evict(Command.Evict command) {
    Session session = registry.link.session();
    CompletableFuture<Boolean> synced = session.sync(registry.paths.lock(command.name()));
    return synced
        .thenCompose(done -> look(session, command.name()))
        .thenCompose(view -> evict(session, command, view));
  }

  private CompletableFuture<EvictReply> evict(Session session, Command.Evict command, View view) {
    for (Place place : view.standing().holders()) {
      Node node = view.nodes.get(place.segment());
      if (node == null) {
        continue;
      }
      Entry entry = Entry.decode(node.data());
      long first = Tokens.first(node.stat().getCzxid());
      if (first <= command.token() && command.token() < first + entry.span()) {
        if (place.kind() == Place.Kind.SIMPLE) {
          return Answers.failed(notBySimple(command.name(), entry.label()));
        }
        return remove(session, command, node, entry);
      }
    }
    return completedFuture(new EvictReply.Changed());
  }

  /**
   * The node of the simple strategy has the same path whoever made it. If it were removed by force,
   * a release of the holder that comes later would remove the next one's.
   */
  private UnsupportedByStoreException notBySimple(String name, String label) {
    return new UnsupportedByStoreException(
        registry.link.where()
            + ": "
            + name
            + " is held by "
            + label
            + " with the simple strategy, which has no forced release; end that process, and it is"
            + " free when its session ends");
  }

  private CompletableFuture<EvictReply> remove(
      Session session, Command.Evict command, Node node, Entry entry) {
    String mailbox = registry.paths.session(node.stat().getEphemeralOwner());
    CompletableFuture<List<OpResult>> changed =
        Absence.of(session.read(mailbox, null))
            .thenCompose(
                box -> {
                  List<Op> changes = new ArrayList<>();
                  changes.add(Op.delete(node.path(), -1));
                  box.ifPresent(
                      found ->
                          changes.add(
                              Mailbox.removal(mailbox, found.data(), found.stat(), entry.claim())));
                  return session.multi(changes);
                });
    return Answers.then(
        changed,
        (done, error) -> {
          if (error == null) {
            return completedFuture(new EvictReply.Evicted(entry.claim(), entry.label()));
          }
          if (Errors.is(error, Code.NONODE) || Errors.is(error, Code.BADVERSION)) {
            return evict(command); // It has left, or somebody else was removed.
          }
          return Answers.failed(error);
        });
  }
}
