package dev.pawl.cli.shell;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A name, or the beginning of one, as it came from the shell: bytes that were read as UTF-8. */
public final class NameConverter implements ITypeConverter<String> {

  /** What the JVM makes of bytes that are no character; two different names would become one. */
  private static final char REPLACEMENT = '\ufffd';

  @Override
  public String convert(String text) {
    if (text.indexOf(REPLACEMENT) >= 0) {
      throw new TypeConversionException("the name is not in UTF-8");
    }
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
