package dev.pawl.zookeeper;

import dev.pawl.spi.Register;
import dev.pawl.spi.RegisterReply;
import dev.pawl.spi.Registers;
import dev.pawl.zookeeper.session.Answers;
import dev.pawl.zookeeper.session.Errors;
import dev.pawl.zookeeper.session.Link;
import dev.pawl.zookeeper.session.Node;
import dev.pawl.zookeeper.session.Session;
import dev.pawl.zookeeper.tree.Names;
import dev.pawl.zookeeper.tree.Paths;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/**
 * Registers: a persistent node each, which is never deleted. Its data is a byte that says whether
 * there is a value, and the value; its version is that of its data, which ZooKeeper counts from 0.
 */
final class ZooKeeperRegisters implements Registers {

  private static final Comparator<String> BY_BYTES =
      (a, b) ->
          Arrays.compareUnsigned(
              a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));

  private final Link link;
  private final Paths paths;

  ZooKeeperRegisters(Link link, Paths paths) {
    this.link = link;
    this.paths = paths;
  }

  @Override
  public CompletionStage<Register> read(String key) {
    Register.checkKey(key);
    return ZooKeeperStore.answered(link, () -> current(link.session(), key));
  }

  /** The sync leaves with the read, and has the server see what was written through others. */
  private CompletableFuture<Register> current(Session session, String key) {
    String path = paths.register(key);
    CompletableFuture<Boolean> synced = session.sync(path);
    CompletableFuture<Node> read = session.read(path, null);
    return Answers.then(
        read,
        (node, error) ->
            error == null || Errors.is(error, Code.NONODE)
                ? synced.thenApply(done -> register(key, node))
                : Answers.failed(error));
  }

  @Override
  public CompletionStage<RegisterReply> compareAndSet(Register seen, Optional<String> value) {
    Register next = seen.next(value);
    return ZooKeeperStore.answered(link, () -> write(link.session(), seen, next, true));
  }

  private CompletableFuture<RegisterReply> write(
      Session session, Register seen, Register next, boolean first) {
    String path = paths.register(seen.key());
    byte[] data = encode(next.value());
    CompletableFuture<?> written =
        seen.version() == 0
            ? session.create(path, data, CreateMode.PERSISTENT)
            : session.set(path, data, version(seen));
    return Answers.then(
        written,
        (done, error) -> {
          if (error == null) {
            return CompletableFuture.completedFuture(new RegisterReply.Written(next));
          }
          if (seen.version() == 0 && Errors.is(error, Code.NONODE) && first) {
            // A store that was made before there were registers; who loses the race finds it made.
            var unused = session.create(paths.registers(), new byte[0], CreateMode.PERSISTENT);
            return write(session, seen, next, false);
          }
          return Errors.is(error, Code.NODEEXISTS)
                  || Errors.is(error, Code.BADVERSION)
                  || Errors.is(error, Code.NONODE)
              ? current(session, seen.key()).thenApply(RegisterReply.Changed::new)
              : Answers.failed(error);
        });
  }

  @Override
  public CompletionStage<List<Register>> list(String prefix, int limit) {
    return ZooKeeperStore.answered(link, () -> list(link.session(), prefix, limit));
  }

  private CompletableFuture<List<Register>> list(Session session, String prefix, int limit) {
    CompletableFuture<Boolean> synced = session.sync(paths.registers());
    return Answers.then(
        session.children(paths.registers(), null),
        (children, error) -> {
          if (children == null) {
            return Errors.is(error, Code.NONODE)
                ? CompletableFuture.completedFuture(List.of())
                : Answers.failed(error);
          }
          List<String> keys =
              children.stream()
                  .flatMap(segment -> Names.find(segment).stream())
                  .filter(key -> key.startsWith(prefix))
                  .sorted(BY_BYTES)
                  .toList();
          return synced
              .thenCompose(
                  done ->
                      ZooKeeperJournal.inParts(
                          session, keys.stream().map(paths::register).toList()))
              .thenApply(
                  nodes -> {
                    List<Register> found = new ArrayList<>();
                    for (Node node : nodes) {
                      String key =
                          Names.decode(node.path().substring(paths.registers().length() + 1));
                      Register register = register(key, node);
                      if (register.value().isPresent() && found.size() < limit) {
                        found.add(register);
                      }
                    }
                    return found;
                  });
        });
  }

  private static int version(Register seen) {
    // ZooKeeper's own has 31 bits: two billion writes of one register.
    return Math.toIntExact(seen.version() - 1);
  }

  private static Register register(String key, @Nullable Node node) {
    if (node == null) {
      return Register.absent(key);
    }
    byte[] data = node.data();
    return new Register(
        key,
        node.stat().getVersion() + 1L,
        data.length == 0 || data[0] == 0
            ? Optional.empty()
            : Optional.of(new String(data, 1, data.length - 1, StandardCharsets.UTF_8)));
  }

  private static byte[] encode(Optional<String> value) {
    byte[] text = value.orElse("").getBytes(StandardCharsets.UTF_8);
    byte[] data = new byte[text.length + 1];
    data[0] = (byte) (value.isPresent() ? 1 : 0);
    System.arraycopy(text, 0, data, 1, text.length);
    return data;
  }
}
