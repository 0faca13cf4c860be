package dev.pawl.cli.run;

import dev.pawl.Job;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Ticks as a schedule writes them: a time with its offset, or {@code @} and seconds since 1970. */
final class TickConverter implements ITypeConverter<Job.Tick> {

  @Override
  public Job.Tick convert(String text) {
    try {
      Instant time =
          text.startsWith("@")
              ? Instant.ofEpochSecond(Long.parseLong(text.substring(1)))
              : OffsetDateTime.parse(text).toInstant();
      return new Job.Tick.At(time);
    } catch (DateTimeException | NumberFormatException e) {
      throw new TypeConversionException(
          "\""
              + text
              + "\" is no time with an offset; write it like 2026-11-15T12:00:00Z,"
              + " 2026-11-15T12:00:00+01:00 or @1794744000");
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(String.valueOf(e.getMessage()));
    }
  }
}
