package dev.pawl.cli.shell;

import dev.pawl.text.DurationText;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Durations as people write them: {@code 30s}, {@code 1m30s}, {@code 500ms}, {@code 2h}. */
public final class DurationConverter implements ITypeConverter<Duration> {

  @Override
  public Duration convert(String text) {
    try {
      return DurationText.parse(text);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(e.getMessage());
    }
  }
}
