package dev.pawl.cli.look;

import dev.pawl.cli.shell.Refusal;
import dev.pawl.cli.shell.Screen;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The person's terminal, with keys as they are pressed and a second screen that leaves the first as
 * it was. However the process ends, short of a {@code KILL}, the terminal is restored.
 */
final class Terminal implements AutoCloseable {

  private static final File DEVICE = new File("/dev/tty");

  private static final String OPEN = "\u001b[?1049h\u001b[?25l";
  private static final String CLOSE = "\u001b[?25h\u001b[?1049l";
  private static final String TO_TOP = "\u001b[H";
  private static final String CLEAR_LINE = "\u001b[K";
  private static final String CLEAR_BELOW = "\u001b[J";

  /** Keys that are no characters. */
  static final int ESCAPE = 27;

  static final int UP = 0x10_0000 + 'A';
  static final int DOWN = 0x10_0000 + 'B';
  static final int END = 0x10_0000 + 'F';
  static final int HOME = 0x10_0000 + 'H';
  static final int PAGE_UP = 0x10_0000 + '5';
  static final int PAGE_DOWN = 0x10_0000 + '6';

  /** How long the end of the process waits for the terminal. */
  private static final long RESTORE_MILLIS = 2_000;

  /** How soon the rest of a key's sequence follows the escape; a person is slower. */
  private static final long SEQUENCE_MILLIS = 50;

  /** The rows and columns of a window. */
  record Size(int rows, int columns) {
    static final Size USUAL = new Size(24, 80);
  }

  private final Screen screen;
  private final String before;
  private final Thread restore = new Thread(this::restoreSoon, "restores the terminal");
  private final BlockingQueue<Integer> keys = new LinkedBlockingQueue<>();

  /** Held while the screen is written, so that nothing is drawn after it was restored. */
  private final ReentrantLock drawing = new ReentrantLock();

  private boolean closed;

  /** Whether the process ends by itself, or by a signal. */
  private volatile boolean ending;

  private Terminal(Screen screen, String before) {
    this.screen = screen;
    this.before = before;
  }

  static Terminal open(Screen screen) {
    Terminal terminal = new Terminal(screen, stty("-g"));
    Runtime.getRuntime().addShutdownHook(terminal.restore);
    // Without a key to suspend: the shell would get a terminal that is not restored.
    stty("-icanon", "-echo", "min", "1", "time", "0", "susp", "undef");
    screen.show(OPEN);
    Thread reader = new Thread(terminal::readKeys, "reads keys");
    reader.setDaemon(true);
    reader.start();
    return terminal;
  }

  /** Returns the size of the window, as it is now. */
  Size size() {
    String[] numbers = stty("size").split(" ", -1);
    try {
      Size size = new Size(Integer.parseInt(numbers[0]), Integer.parseInt(numbers[1]));
      return size.rows() > 0 && size.columns() > 0 ? size : Size.USUAL;
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
      return Size.USUAL;
    }
  }

  /** Shows lines that fit the window, in the place of those before. */
  void draw(List<String> lines) {
    drawing.lock();
    try {
      if (!closed) {
        screen.show(TO_TOP + String.join(CLEAR_LINE + "\n", lines) + CLEAR_LINE + CLEAR_BELOW);
      }
    } finally {
      drawing.unlock();
    }
  }

  /** Returns the key that is pressed within that time. */
  OptionalInt key(Duration within) {
    try {
      Integer key = keys.poll(within.toNanos(), TimeUnit.NANOSECONDS);
      return key == null ? OptionalInt.empty() : OptionalInt.of(key == ESCAPE ? sequence() : key);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return OptionalInt.of('q');
    }
  }

  /** Reads what follows an escape: the letter or digit that says which key it was. */
  private int sequence() throws InterruptedException {
    Integer opening = keys.poll(SEQUENCE_MILLIS, TimeUnit.MILLISECONDS);
    if (opening == null || (opening != '[' && opening != 'O')) {
      return ESCAPE;
    }
    Integer kind = keys.poll(SEQUENCE_MILLIS, TimeUnit.MILLISECONDS);
    if (kind == null) {
      return ESCAPE;
    }
    // A digit is followed by more, up to a ~.
    for (Integer next = kind; next != null && next < '@'; ) {
      next = keys.poll(SEQUENCE_MILLIS, TimeUnit.MILLISECONDS);
    }
    return 0x10_0000 + kind;
  }

  private void readKeys() {
    try (Reader device =
        new InputStreamReader(new FileInputStream(DEVICE), StandardCharsets.UTF_8)) {
      for (int key = device.read(); key >= 0; key = device.read()) {
        keys.add(key);
      }
    } catch (IOException e) {
      // The terminal has gone, and its hang-up signal ends us.
    }
  }

  @Override
  public void close() {
    drawing.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      stty(before);
      screen.show(CLOSE);
    } finally {
      drawing.unlock();
    }
    if (!ending) {
      Runtime.getRuntime().removeShutdownHook(restore);
    }
  }

  /** Restores it, but does not wait for a terminal that takes nothing, as after Ctrl-S. */
  private void restoreSoon() {
    ending = true;
    Thread closing = new Thread(this::close, "closes the terminal");
    closing.setDaemon(true);
    closing.start();
    try {
      closing.join(RESTORE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static String stty(String... arguments) {
    List<String> command = new ArrayList<>(List.of("stty"));
    command.addAll(List.of(arguments));
    try {
      Process stty =
          new ProcessBuilder(command).redirectInput(DEVICE).redirectErrorStream(true).start();
      String output = new String(stty.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (stty.waitFor() != 0) {
        throw Refusal.usage("the terminal cannot be set up: " + output.strip());
      }
      return output.strip();
    } catch (IOException e) {
      throw Refusal.usage("the terminal cannot be set up: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw Refusal.usage("interrupted while the terminal was set up");
    }
  }
}
