package dev.pawl.cli.demo;

import dev.pawl.Pawl;
import dev.pawl.cli.shell.Failures;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** The process of a node: the number of the node and the outbox are its arguments. */
final class NodeMain {

  /** A new JVM among many on a busy machine answers late; that is no failure of the store. */
  private static final Duration RESPONSE = Duration.ofSeconds(15);

  private final List<ProcessHandle> wards = new ArrayList<>();
  private final ReminderNode node;

  private NodeMain(ReminderNode node) {
    this.node = node;
  }

  public static void main(String[] args) {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    int number = Integer.parseInt(args[0]);
    // Not an argument: it may have a secret in it, and everybody can see arguments.
    try (Pawl pawl =
            Pawl.builder(Objects.requireNonNull(in.readLine(), "no URL"))
                .label(label(number, ProcessHandle.current().pid()))
                .responseTimeout(RESPONSE)
                .build();
        Outbox outbox = Outbox.open(Path.of(args[1]))) {
      NodeMain main =
          new NodeMain(
              new ReminderNode(number, pawl, outbox, report -> out.println(report.line())));
      out.println(new Report(Report.Kind.READY).line());
      main.obey(in);
    } catch (Exception e) {
      out.println(new Report(Report.Kind.FAILED, Failures.code(e) + " " + e.getMessage()).line());
    }
    // Whatever thread still sends: this node has ended.
    Runtime.getRuntime().halt(0);
  }

  /** Returns the name that other people see. */
  static String label(int number, long pid) {
    return Story.NAME + "-" + number + ":" + pid;
  }

  private void obey(BufferedReader in) throws IOException {
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      Order order = Order.parse(line);
      if (order instanceof Order.Remind remind) {
        node.remind(remind);
      } else if (order instanceof Order.Outlive outlive) {
        ProcessHandle.of(outlive.pid()).ifPresent(wards::add);
      } else {
        return;
      }
    }
    // The demo is gone, perhaps by SIGKILL: nothing of it may live on.
    wards.forEach(ProcessHandle::destroyForcibly);
    Runtime.getRuntime().halt(1);
  }
}
