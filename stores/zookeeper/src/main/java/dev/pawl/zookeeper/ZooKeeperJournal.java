package dev.pawl.zookeeper;

import dev.pawl.JournalEntry;
import dev.pawl.spi.Journal;
import dev.pawl.zookeeper.session.Errors;
import dev.pawl.zookeeper.session.Link;
import dev.pawl.zookeeper.session.Node;
import dev.pawl.zookeeper.session.Session;
import dev.pawl.zookeeper.tree.Names;
import dev.pawl.zookeeper.tree.Paths;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/**
 * The journal: a node for each entry, below one for each name. Their order is that of the
 * transactions that made them, and their time is the servers'.
 */
final class ZooKeeperJournal implements Journal {

  /** How many entries are read in one request. */
  private static final int TOGETHER = 200;

  /** After how many entries of this process the whole journal is counted. */
  private static final int COUNTED_EVERY = 500;

  private final Link link;
  private final Paths paths;
  private final AtomicInteger appended = new AtomicInteger();

  ZooKeeperJournal(Link link, Paths paths) {
    this.link = link;
    this.paths = paths;
  }

  @Override
  public CompletionStage<Void> append(
      JournalEntry.Kind kind, String name, long token, String node, Map<String, String> details) {
    return ZooKeeperStore.answered(
        link,
        () -> {
          Session session = link.session();
          String parent = paths.journal(name);
          var unused = session.create(parent, new byte[0], CreateMode.CONTAINER); // Or it exists.
          byte[] data = encode(kind, token, node, details);
          return session
              .create(parent + "/", data, CreateMode.PERSISTENT_SEQUENTIAL)
              .thenCombine(session.children(parent, null), (made, entries) -> entries)
              .thenCompose(entries -> trim(session, parent, entries, OF_EACH_NAME))
              .thenCompose(
                  done ->
                      appended.incrementAndGet() % COUNTED_EVERY == 0
                          ? trimAll(session)
                          : CompletableFuture.completedFuture(null));
        });
  }

  private static CompletableFuture<Void> trim(
      Session session, String parent, List<String> entries, int most) {
    List<CompletableFuture<Boolean>> gone =
        entries.stream()
            .sorted(Comparator.comparingInt(Integer::parseInt))
            .limit(Math.max(0, entries.size() - most))
            .map(entry -> session.delete(parent + "/" + entry))
            .toList();
    return CompletableFuture.allOf(gone.toArray(CompletableFuture[]::new));
  }

  /** Deletes the oldest if there are too many of all names together. */
  private CompletableFuture<Void> trimAll(Session session) {
    return read(session, null)
        .thenCompose(
            nodes -> {
              List<CompletableFuture<Boolean>> gone =
                  nodes.stream().skip(IN_ALL).map(node -> session.delete(node.path())).toList();
              return CompletableFuture.allOf(gone.toArray(CompletableFuture[]::new));
            });
  }

  @Override
  public CompletionStage<List<JournalEntry>> read(String name, int limit) {
    return ZooKeeperStore.answered(
        link, () -> read(link.session(), name).thenApply(nodes -> entries(nodes, limit)));
  }

  @Override
  public CompletionStage<List<JournalEntry>> readAll(int limit) {
    return ZooKeeperStore.answered(
        link, () -> read(link.session(), null).thenApply(nodes -> entries(nodes, limit)));
  }

  private static List<JournalEntry> entries(List<Node> nodes, int limit) {
    return nodes.stream().flatMap(node -> decode(node).stream()).limit(limit).toList();
  }

  /** Returns the entries of a name, or of all, the newest first. */
  private CompletableFuture<List<Node>> read(Session session, @Nullable String name) {
    CompletableFuture<List<String>> parents =
        name == null
            ? children(session, paths.journal())
                .thenApply(all -> all.stream().map(each -> paths.journal() + "/" + each).toList())
            : CompletableFuture.completedFuture(List.of(paths.journal(name)));
    return session
        .sync(paths.journal())
        .thenCompose(done -> parents)
        .thenCompose(
            all -> {
              List<CompletableFuture<List<String>>> below =
                  all.stream()
                      .map(
                          parent ->
                              children(session, parent)
                                  .thenApply(
                                      some -> some.stream().map(e -> parent + "/" + e).toList()))
                      .toList();
              return joined(below);
            })
        .thenCompose(entries -> inParts(session, entries))
        .thenApply(
            nodes ->
                nodes.stream()
                    .sorted(Comparator.comparingLong((Node n) -> n.stat().getCzxid()).reversed())
                    .toList());
  }

  /** Reads many nodes, in their order and without those that are gone, some at a time. */
  static CompletableFuture<List<Node>> inParts(Session session, List<String> entries) {
    List<CompletableFuture<List<Node>>> read = new ArrayList<>();
    for (int i = 0; i < entries.size(); i += TOGETHER) {
      read.add(
          session
              .readAll(entries.subList(i, Math.min(entries.size(), i + TOGETHER)))
              .thenApply(
                  nodes -> {
                    List<Node> found = new ArrayList<>();
                    for (Node node : nodes) {
                      if (node != null) {
                        found.add(node);
                      }
                    }
                    return found;
                  }));
    }
    return joined(read);
  }

  private static <T> CompletableFuture<List<T>> joined(List<CompletableFuture<List<T>>> parts) {
    return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new))
        .thenApply(
            done -> parts.stream().map(CompletableFuture::join).flatMap(List::stream).toList());
  }

  private static CompletableFuture<List<String>> children(Session session, String path) {
    return session
        .children(path, null)
        .exceptionally(
            error -> {
              if (Errors.is(error, Code.NONODE)) {
                return List.of();
              }
              throw new CompletionException(Errors.unwrap(error));
            });
  }

  private static byte[] encode(
      JournalEntry.Kind kind, long token, String node, Map<String, String> details) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeUTF(kind.name());
      out.writeLong(token);
      out.writeUTF(node);
      out.writeInt(details.size());
      for (Map.Entry<String, String> detail : details.entrySet()) {
        out.writeUTF(detail.getKey());
        out.writeUTF(detail.getValue());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  /** Reads an entry; empty if another version has written it. */
  private static Optional<JournalEntry> decode(Node node) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(node.data()))) {
      Optional<JournalEntry.Kind> kind = Journal.kind(in.readUTF());
      long token = in.readLong();
      String label = in.readUTF();
      Map<String, String> details = new HashMap<>();
      for (int left = in.readInt(); left > 0; left--) {
        details.put(in.readUTF(), in.readUTF());
      }
      String[] parts = node.path().split("/", -1);
      return kind.map(
          known ->
              new JournalEntry(
                  Instant.ofEpochMilli(node.stat().getCtime()),
                  known,
                  Names.decode(parts[parts.length - 2]),
                  token,
                  label,
                  details));
    } catch (IOException | IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
