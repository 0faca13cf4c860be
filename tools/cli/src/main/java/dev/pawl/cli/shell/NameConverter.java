package dev.pawl.cli.shell;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A name, or the beginning of one, as it came from the shell. */
public final class NameConverter implements ITypeConverter<String> {

  @Override
  public String convert(String text) {
    text.codePoints()
        .filter(Character::isISOControl)
        .findFirst()
        .ifPresent(
            code -> {
              throw new TypeConversionException(
                  "the name has the control character U+%04X in it, which no name may"
                      .formatted(code));
            });
    return text;
  }
}
