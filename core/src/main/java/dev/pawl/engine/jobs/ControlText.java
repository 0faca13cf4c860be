package dev.pawl.engine.jobs;

import dev.pawl.JobControl;
import dev.pawl.PawlException;
import dev.pawl.spi.Register;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The control of a job as the text of its register: a line for the pause, a line for each permit,
 * with tabs between the fields. A line that begins otherwise is of a later version, and is left
 * out.
 */
final class ControlText {

  private static final String PAUSE = "pause";
  private static final String PERMIT = "permit";

  private ControlText() {}

  /** Returns the text; nothing if nobody has decided anything. */
  static Optional<String> encode(JobControl control) {
    List<String> lines = new ArrayList<>();
    control
        .pause()
        .ifPresent(pause -> lines.add(line(PAUSE, pause.since(), pause.by(), pause.reason())));
    for (JobControl.Permit permit : control.permits()) {
      lines.add(
          line(PERMIT, permit.since(), permit.by(), permit.reason())
              + "\t"
              + permit.tick().toEpochMilli());
    }
    return lines.isEmpty() ? Optional.empty() : Optional.of(String.join("\n", lines));
  }

  private static String line(String kind, Instant since, String by, String reason) {
    return String.join("\t", kind, since.toString(), escaped(by), escaped(reason));
  }

  /** Reads what stands in the register of a job. */
  static JobControl decode(String job, Register register) {
    Optional<JobControl.Pause> pause = Optional.empty();
    List<JobControl.Permit> permits = new ArrayList<>();
    try {
      for (String line : register.value().map(text -> text.split("\n", -1)).orElse(new String[0])) {
        String[] fields = line.split("\t", -1);
        if (fields[0].equals(PAUSE)) {
          pause =
              Optional.of(
                  new JobControl.Pause(
                      plain(fields[2]), plain(fields[3]), Instant.parse(fields[1])));
        } else if (fields[0].equals(PERMIT)) {
          permits.add(
              new JobControl.Permit(
                  Instant.ofEpochMilli(Long.parseLong(fields[4])),
                  plain(fields[2]),
                  plain(fields[3]),
                  Instant.parse(fields[1])));
        }
      }
    } catch (DateTimeException | NumberFormatException | ArrayIndexOutOfBoundsException e) {
      throw new PawlException(
          "register " + register.key() + " has a text that is not ours: " + register.value(), e);
    }
    permits.sort(Comparator.comparing(JobControl.Permit::tick));
    return new JobControl(job, pause, permits);
  }

  private static String escaped(String text) {
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n");
  }

  private static String plain(String text) {
    StringBuilder plain = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\\' && i + 1 < text.length()) {
        c = text.charAt(++i);
        plain.append(c == 't' ? '\t' : c == 'n' ? '\n' : c);
      } else {
        plain.append(c);
      }
    }
    return plain.toString();
  }
}
