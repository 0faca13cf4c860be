package dev.pawl.cli.shell;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Times with their offset, or {@code @} and seconds since 1970. */
public final class InstantConverter implements ITypeConverter<Instant> {

  @Override
  public Instant convert(String text) {
    try {
      return text.startsWith("@")
          ? Instant.ofEpochSecond(Long.parseLong(text.substring(1)))
          : OffsetDateTime.parse(text).toInstant();
    } catch (DateTimeException | NumberFormatException e) {
      throw new TypeConversionException(
          "\""
              + text
              + "\" is no time with an offset; write it like 2026-11-15T12:00:00Z,"
              + " 2026-11-15T12:00:00+01:00 or @1794744000");
    }
  }
}
