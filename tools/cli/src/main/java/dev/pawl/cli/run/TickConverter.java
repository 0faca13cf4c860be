package dev.pawl.cli.run;

import dev.pawl.Job;
import dev.pawl.cli.shell.InstantConverter;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Ticks as a schedule writes them: a time with its offset, or {@code @} and seconds since 1970. */
final class TickConverter implements ITypeConverter<Job.Tick> {

  private final InstantConverter times = new InstantConverter();

  @Override
  public Job.Tick convert(String text) {
    try {
      return new Job.Tick.At(times.convert(text));
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(String.valueOf(e.getMessage()));
    }
  }
}
