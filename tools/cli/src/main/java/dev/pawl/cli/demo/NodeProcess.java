package dev.pawl.cli.demo;

import dev.pawl.cli.shell.ExitCode;
import dev.pawl.cli.shell.Refusal;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The process of one node, as the demo sees it: the same program as this one, told other things.
 */
final class NodeProcess {

  private final int number;
  private final Process process;
  private final PrintStream orders;

  private NodeProcess(int number, Process process) {
    this.number = number;
    this.process = process;
    this.orders = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
  }

  /** Starts one, whose reports go to {@code reports} on a thread of its own. */
  static NodeProcess start(
      int number, String url, Workspace workspace, Consumer<Cluster.Heard> reports) {
    List<String> command =
        java(
            workspace.directory(),
            NodeMain.class.getName(),
            number + "",
            workspace.outbox().toString());
    try {
      Process process =
          new ProcessBuilder(undisturbed(command))
              .redirectError(workspace.errors(number).toFile())
              .start();
      NodeProcess node = new NodeProcess(number, process);
      node.orders.println(url);
      Thread reader = new Thread(() -> node.read(reports), "node " + number);
      reader.setDaemon(true);
      reader.start();
      return node;
    } catch (IOException e) {
      throw new Refusal(ExitCode.SOFTWARE, "cannot start a node: " + e.getMessage());
    }
  }

  /** Ctrl-C goes to all processes of the terminal; the demo alone answers it, and ends the rest. */
  static List<String> undisturbed(List<String> command) {
    List<String> line = new ArrayList<>(List.of("sh", "-c", "trap '' INT HUP; exec \"$@\"", "sh"));
    line.addAll(command);
    return line;
  }

  /** Returns the line that runs a class of this program as a process of its own. */
  static List<String> java(Path directory, String... mainAndArguments) {
    List<String> java = new ArrayList<>();
    java.add(
        ProcessHandle.current()
            .info()
            .command()
            .orElse(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(argument -> argument.startsWith("-XX:") || argument.startsWith("-Xshare"))
        .forEach(java::add);
    java.addAll(
        List.of(
            "-Xmx64m",
            // What a killed process leaves behind lies in the directory that is deleted.
            "-XX:-UsePerfData",
            "-Djava.io.tmpdir=" + directory,
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=off",
            "-cp",
            System.getProperty("java.class.path")));
    java.addAll(List.of(mainAndArguments));
    return java;
  }

  private void read(Consumer<Cluster.Heard> reports) {
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        reports.accept(new Cluster.Heard(this, Report.parse(line)));
      }
    } catch (IOException e) {
      // A pipe of a process that was killed: it is gone, as at its end.
    }
    reports.accept(new Cluster.Heard(this, new Report(Report.Kind.GONE)));
  }

  int number() {
    return number;
  }

  long pid() {
    return process.pid();
  }

  void tell(Order order) {
    orders.println(order.line());
  }

  /** Stops it as SIGSTOP does: it gets no more time, and does not know. */
  void stall() {
    signal("STOP");
  }

  /** Lets a stopped one go on. */
  void wake() {
    signal("CONT");
  }

  /** Kills it with SIGKILL, stopped or not. */
  void kill() {
    process.destroyForcibly();
  }

  /** Waits for its end, but not for long. */
  boolean hasEnded(int seconds) throws InterruptedException {
    return process.waitFor(seconds, TimeUnit.SECONDS);
  }

  private void signal(String signal) {
    try {
      // The shell has a kill of its own; not every system has the program.
      new ProcessBuilder("sh", "-c", "kill -" + signal + " " + pid()).inheritIO().start().waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
