package dev.pawl.engine;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LocationAwareLogger;

/**
 * What a class logs while this is open: slf4j-simple writes it to the error output, if it is told
 * to. Tests are quiet otherwise, and the level of a logger can be changed by force alone.
 */
public final class Logged implements AutoCloseable {

  private final PrintStream before = System.err;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final String logger;
  private final int levelBefore;

  private Logged(Class<?> logger) {
    this.logger = logger.getName() + " - ";
    this.levelBefore = setLevel(LocationAwareLogger.WARN_INT);
    System.setErr(new PrintStream(bytes, true, StandardCharsets.UTF_8));
  }

  private int setLevel(int level) {
    try {
      Logger target = LoggerFactory.getLogger(logger.substring(0, logger.indexOf(' ')));
      Field field = target.getClass().getDeclaredField("currentLogLevel");
      field.setAccessible(true);
      int was = field.getInt(target);
      field.setInt(target, level);
      return was;
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("slf4j-simple has changed", e);
    }
  }

  public static Logged by(Class<?> logger) {
    return new Logged(logger);
  }

  /** Returns the lines of that class, without stack traces. */
  public List<String> lines() {
    return bytes.toString(StandardCharsets.UTF_8).lines().filter(l -> l.contains(logger)).toList();
  }

  @Override
  public void close() {
    System.setErr(before);
    setLevel(levelBefore);
  }
}
