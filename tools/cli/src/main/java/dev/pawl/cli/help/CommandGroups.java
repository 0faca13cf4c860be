package dev.pawl.cli.help;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.UsageMessageSpec;

/** The list of commands in the help, by what a person comes for. */
public final class CommandGroups {

  private static final Map<String, List<String>> GROUPS = new LinkedHashMap<>();

  static {
    GROUPS.put("Run", List.of("run", "hold"));
    GROUPS.put("Look", List.of("ls", "show", "jobs", "journal", "top", "console", "wait"));
    GROUPS.put("Step in", List.of("release", "mode"));
    GROUPS.put("Try and check", List.of("demo", "doctor"));
  }

  private static final String OTHERS = "More";

  private CommandGroups() {}

  /** Has the help of that command show its commands in groups. */
  public static CommandLine applyTo(CommandLine command) {
    command
        .getHelpSectionMap()
        .put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, CommandGroups::render);
    command.getHelpSectionMap().remove(UsageMessageSpec.SECTION_KEY_COMMAND_LIST_HEADING);
    return command;
  }

  /** Returns the commands of each group that there are, with what they do. */
  static Map<String, Map<String, String>> of(Help help) {
    Map<String, String> left = new LinkedHashMap<>();
    help.subcommands().forEach((name, command) -> left.put(name, purpose(command)));
    Map<String, Map<String, String>> groups = new LinkedHashMap<>();
    GROUPS.forEach(
        (title, names) -> {
          Map<String, String> group = new LinkedHashMap<>();
          for (String name : names) {
            String purpose = left.remove(name);
            if (purpose != null) {
              group.put(name, purpose);
            }
          }
          if (!group.isEmpty()) {
            groups.put(title, group);
          }
        });
    if (!left.isEmpty()) {
      groups.put(OTHERS, left);
    }
    return groups;
  }

  private static String render(Help help) {
    Map<String, Map<String, String>> groups = of(help);
    if (groups.isEmpty()) {
      return "";
    }
    List<String> lines = new ArrayList<>();
    groups.forEach(
        (title, group) -> {
          lines.add("");
          lines.add(title + ":");
          group.forEach((name, purpose) -> lines.add("  %-12s%s".formatted(name, purpose)));
        });
    return String.join("\n", lines) + "\n";
  }

  /** Returns what a command does, in a line. */
  static String purpose(Help command) {
    UsageMessageSpec usage = command.commandSpec().usageMessage();
    String[] words = usage.header().length > 0 ? usage.header() : usage.description();
    return words.length == 0 ? "" : words[0];
  }
}
