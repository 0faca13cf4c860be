package dev.pawl.bench.contest;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A {@link Worker} as the contest sees it. */
final class WorkerProcess implements AutoCloseable {

  private static final long MOST_WAIT_SECONDS = 90;
  private static final long MOST_CLOSE_SECONDS = 5;

  private final Process process;
  private final Writer commands;
  private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

  private WorkerProcess(Process process) {
    this.process = process;
    this.commands = process.outputWriter(StandardCharsets.UTF_8);
    Thread reader = new Thread(this::read, "answers of " + process.pid());
    reader.setDaemon(true);
    reader.start();
  }

  /** Starts one for the suite, with the backend at the address. */
  static WorkerProcess start(Suite suite, String address) {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx512m",
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=off",
            "-cp",
            System.getProperty("java.class.path"),
            Worker.class.getName(),
            suite.name(),
            address);
    try {
      return new WorkerProcess(
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void read() {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        answers.add(line);
      }
      answers.add("error\tthe process ended");
    } catch (IOException e) {
      answers.add("error\t" + e);
    }
  }

  /** Tells it to do something. */
  void send(String... words) {
    try {
      commands.write(String.join("\t", words) + "\n");
      commands.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns the words of its next answer.
   *
   * @throws WorkerException if it could not do what it was told, or does not answer
   */
  String[] answer() {
    try {
      String line = answers.poll(MOST_WAIT_SECONDS, TimeUnit.SECONDS);
      if (line == null) {
        throw new WorkerException("no answer for " + MOST_WAIT_SECONDS + " s");
      }
      String[] words = line.split("\t", -1);
      if (!words[0].equals("ok")) {
        throw new WorkerException(line.substring(line.indexOf('\t') + 1));
      }
      return Arrays.copyOfRange(words, 1, words.length);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new WorkerException("interrupted");
    }
  }

  /** Tells it to do something, and returns the words of its answer. */
  String[] ask(String... words) {
    send(words);
    return answer();
  }

  /** Has it ask for a name; {@link #answer()} is then when it got it. */
  void sendTake(String entrant, String name) {
    send("take", entrant, name);
    answer();
  }

  /** Skips what it still answers to earlier commands, after one of them failed. */
  void resynchronise() {
    String mark = "" + System.nanoTime();
    send("echo", mark);
    while (true) {
      try {
        if (Arrays.equals(answer(), new String[] {mark})) {
          return;
        }
      } catch (WorkerException e) {
        if (!process.isAlive()) {
          throw e;
        }
      }
    }
  }

  /** Kills it (SIGKILL). */
  void kill() {
    process.destroyForcibly();
  }

  @Override
  public void close() {
    try {
      commands.close();
      if (process.waitFor(MOST_CLOSE_SECONDS, TimeUnit.SECONDS)) {
        return;
      }
    } catch (IOException e) {
      // It is gone, or will be.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    kill();
  }
}
