package dev.pawl.cli.help;

import dev.pawl.cli.shell.ExitCode;
import dev.pawl.cli.shell.Failures;
import dev.pawl.cli.shell.Refusal;
import dev.pawl.cli.shell.Screen;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code pawl man}: the manual pages, from the same text as the help. */
@Command(
    name = "man",
    description = "Print the manual page of a command, or write all of them to a directory.",
    footer = {
      "",
      "Examples:",
      "  pawl man ls | man -l -",
      "  pawl man --to ~/.local/share/man/man1"
    })
public final class ManCommand implements Runnable {

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--to",
      paramLabel = "DIRECTORY",
      description = "Write all pages there, such as pawl-ls.1.")
  private @Nullable Path directory;

  @Parameters(
      arity = "0..1",
      paramLabel = "COMMAND",
      description = "The command (default: pawl itself).")
  private @Nullable String name;

  @Override
  public void run() {
    CommandSpec own = Objects.requireNonNull(spec);
    CommandSpec root = own.root();
    if (directory != null) {
      writeAll(root, directory);
      return;
    }
    Screen.of(own).show(ManPage.of(name == null ? root : find(root, name)));
  }

  /** Finds a command by its name, or by those on the way to it: {@code jobs-pause}. */
  private static CommandSpec find(CommandSpec root, String name) {
    return all(root).stream()
        .filter(command -> ManPage.title(command).equals(ManPage.title(root) + "-" + name))
        .findFirst()
        .orElseThrow(
            () -> Refusal.usage("there is no command \"" + name + "\"; pawl help lists them"));
  }

  /** Returns a command and all below it. */
  private static List<CommandSpec> all(CommandSpec command) {
    List<CommandSpec> all = new ArrayList<>(List.of(command));
    command.subcommands().values().forEach(each -> all.addAll(all(each.getCommandSpec())));
    return all;
  }

  private static void writeAll(CommandSpec root, Path directory) {
    try {
      Files.createDirectories(directory);
      for (CommandSpec command : all(root)) {
        Files.writeString(directory.resolve(ManPage.title(command) + ".1"), ManPage.of(command));
      }
    } catch (IOException e) {
      throw new Refusal(
          ExitCode.OUTPUT, "cannot write to " + directory + ": " + Failures.reason(e));
    }
  }
}
