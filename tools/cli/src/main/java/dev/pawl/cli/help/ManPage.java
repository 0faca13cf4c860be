package dev.pawl.cli.help;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** A manual page in the language of {@code man}, of what is known of one command. */
final class ManPage {

  private static final List<String[]> EXIT_CODES =
      List.of(
          new String[] {"0", "All went well."},
          new String[] {"1", "The command did its work, and the answer is no."},
          new String[] {"64", "The command was called wrongly, or the store cannot do it."},
          new String[] {"69", "The store cannot be reached, or did not answer."},
          new String[] {"70", "A bug; --debug shows where."},
          new String[] {"75", "Somebody else has the lock, or the holder has changed."},
          new String[] {"76", "The lease was lost while the command ran."});

  private final StringBuilder text = new StringBuilder();
  private final CommandSpec command;
  private final UsageMessageSpec usage;
  private final Help help;

  private ManPage(CommandSpec command) {
    this.command = command;
    this.usage = command.usageMessage();
    this.help = new Help(command, Help.defaultColorScheme(Ansi.OFF));
  }

  /** Returns the page of a command. */
  static String of(CommandSpec command) {
    return new ManPage(command).write();
  }

  /** Returns the name of the page, such as {@code pawl-ls}. */
  static String title(CommandSpec command) {
    return command.qualifiedName("-");
  }

  private String write() {
    String version = String.join(" ", command.root().version());
    line(
        ".TH \"%s\" 1 \"\" \"%s\" \"Pawl\""
            .formatted(escaped(title(command)).toUpperCase(Locale.ROOT), escaped(version)));
    section("NAME");
    line(escaped(title(command)) + " \\- " + escaped(CommandGroups.purpose(help)));
    section("SYNOPSIS");
    block(help.synopsis(0).stripTrailing().lines().toList());
    if (!command.positionalParameters().isEmpty()) {
      section("ARGUMENTS");
      command.positionalParameters().forEach(this::argument);
    }
    section("OPTIONS");
    command.options().stream().filter(option -> !option.hidden()).forEach(this::option);
    if (!command.subcommands().isEmpty()) {
      section("COMMANDS");
      CommandGroups.of(help).forEach(this::group);
    }
    footer();
    section("EXIT STATUS");
    EXIT_CODES.forEach(code -> entry("\\fB" + code[0] + "\\fR", List.of(code[1])));
    return text.toString();
  }

  private void group(String title, Map<String, String> commands) {
    line(".SS " + escaped(title));
    commands.forEach(
        (name, purpose) ->
            entry("\\fB" + escaped(title(command) + "-" + name) + "\\fR(1)", List.of(purpose)));
  }

  private void argument(PositionalParamSpec argument) {
    entry("\\fI" + escaped(argument.paramLabel()) + "\\fR", List.of(argument.description()));
  }

  private void option(OptionSpec option) {
    String names = "\\fB" + escaped(String.join(", ", option.names())) + "\\fR";
    entry(names + parameter(option), List.of(option.description()));
  }

  private static String parameter(ArgSpec option) {
    return option.arity().max() == 0 ? "" : " \\fI" + escaped(option.paramLabel()) + "\\fR";
  }

  /** The footer of the help: plain lines are text, indented ones stay as they are. */
  private void footer() {
    boolean asIs = false;
    section("NOTES");
    int empty = text.length();
    for (String line : usage.footer()) {
      boolean indented = line.startsWith("  ");
      if (indented != asIs) {
        line(indented ? ".nf" : ".fi");
        asIs = indented;
      }
      if (line.startsWith("Example")) {
        if (text.substring(empty).isBlank()) {
          text.setLength(empty - ".SH NOTES\n".length());
        }
        section("EXAMPLES");
      } else if (!line.isBlank()) {
        line(escaped(line));
      } else if (text.length() > empty) {
        line(".PP");
      }
    }
    if (asIs) {
      line(".fi");
    }
    if (text.length() == empty) {
      text.setLength(empty - ".SH NOTES\n".length());
    }
  }

  private void section(String title) {
    line(".SH " + title);
  }

  private void block(List<String> lines) {
    line(".nf");
    lines.forEach(each -> line(escaped(each)));
    line(".fi");
  }

  private void entry(String tag, List<String> description) {
    line(".TP");
    line(tag);
    line(escaped(String.join(" ", description)));
  }

  private void line(String line) {
    text.append(line).append('\n');
  }

  /** Returns the text with nothing in it that {@code man} would take for a request. */
  private static String escaped(String text) {
    String escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("\"", "\\(dq");
    return escaped.startsWith(".") || escaped.startsWith("'") ? "\\&" + escaped : escaped;
  }
}
