package example;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;

/** Starts eight servers, kills one in the middle of its work, and looks at what was sent. */
public class EightNodes {

  private static final Path STORE = Path.of("target", "locks.db");

  private final List<Server> servers = new ArrayList<>();

  /** One line of a server. */
  private record Line(String server, String text) {}

  private final List<Line> lines = new CopyOnWriteArrayList<>();

  public static void main(String[] args) throws Exception {
    boolean isFine = false;
    EightNodes eight = new EightNodes();
    try {
      eight.eachTimeIsSentOnce();
      eight.whoeverDiesIsReplaced();
      isFine = true;
      System.out.println("ok: each was sent by one server, and whoever died was replaced");
    } catch (IllegalStateException e) {
      System.out.println("NOT as it should be: " + e.getMessage());
    } finally {
      eight.stop();
    }
    System.exit(isFine ? 0 : 1);
  }

  private void eachTimeIsSentOnce() throws Exception {
    System.out.println("Eight servers, each with the same job every two seconds:");
    start(2, 100);
    await("five reminders", () -> lines("sent ").size() >= 5);
    stop();
    List<String> sent = lines("sends ").stream().map(Line::text).toList();
    check(
        sent.stream().distinct().count() == sent.size(), "a reminder was sent twice: " + sent);
    System.out.println("=> " + sent.size() + " times, and each was sent once.");
  }

  private void whoeverDiesIsReplaced() throws Exception {
    lines.clear();
    System.out.println("Eight servers again, every twenty seconds, and the work takes eight:");
    start(20, 8_000);
    // Whoever began before all were up has nobody yet who would stand by.
    int early = lines("sends ").size();
    await("somebody who sends", () -> lines("sends ").size() > early);
    Line first = lines("sends ").get(early);
    Thread.sleep(2_000); // In the middle of it. The others stand by.
    System.out.println("kill -9 " + first.server());
    servers.stream().filter(s -> s.name.equals(first.server())).findFirst().orElseThrow().kill();
    await(
        "somebody else who sends the same",
        () ->
            lines("sends ").stream()
                .anyMatch(l -> l.text().equals(first.text()) && !l.server().equals(first.server())));
    String ofFirst = first.text().replace("sends ", "sent ");
    await("its end", () -> lines(ofFirst).size() == 1);
    System.out.println("=> Another one took over, and ended it.");
  }

  private void start(int everySeconds, long millis) throws IOException {
    for (String suffix : List.of("", "-wal", "-shm", "-journal")) {
      Files.deleteIfExists(STORE.resolveSibling(STORE.getFileName() + suffix));
    }
    for (int i = 1; i <= 8; i++) {
      servers.add(new Server("web-" + i, everySeconds, millis));
    }
    await("eight servers", () -> lines("ready").size() == 8);
  }

  private void stop() throws InterruptedException, IOException {
    for (Server server : servers) {
      server.process.getOutputStream().close();
    }
    for (Server server : servers) {
      server.process.waitFor();
      server.reader.join();
    }
    servers.clear();
  }

  private List<Line> lines(String beginning) {
    return lines.stream().filter(line -> line.text().startsWith(beginning)).toList();
  }

  private void await(String what, BooleanSupplier state) {
    long deadline = System.nanoTime() + 180_000_000_000L;
    while (!state.getAsBoolean()) {
      check(System.nanoTime() < deadline, "there was no sign of " + what);
      try {
        Thread.sleep(20);
      } catch (InterruptedException e) {
        throw new IllegalStateException("interrupted", e);
      }
    }
  }

  private static void check(boolean isFine, String otherwise) {
    if (!isFine) {
      throw new IllegalStateException(otherwise);
    }
  }

  /** A process, and what it says. */
  private final class Server {
    private final String name;
    private final Process process;
    private final Thread reader;

    Server(String name, int everySeconds, long millis) throws IOException {
      this.name = name;
      this.process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:TieredStopAtLevel=1",
                  "-XX:+UseSerialGC",
                  "-Xmx64m",
                  "-cp",
                  System.getProperty("java.class.path"),
                  Node.class.getName(),
                  "" + everySeconds,
                  "" + millis)
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      this.reader = new Thread(this::read);
      reader.setDaemon(true);
      reader.start();
    }

    private void read() {
      try (BufferedReader out = process.inputReader()) {
        for (String text = out.readLine(); text != null; text = out.readLine()) {
          lines.add(new Line(name, text));
          if (!text.equals("ready")) {
            System.out.println("  " + name + " " + text);
          }
        }
      } catch (IOException e) {
        // It was killed.
      }
    }

    void kill() throws InterruptedException {
      process.destroyForcibly().waitFor();
    }
  }
}
