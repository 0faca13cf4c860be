package dev.pawl.cli.help;

import dev.pawl.cli.shell.ExitCode;
import dev.pawl.cli.shell.Refusal;
import dev.pawl.cli.shell.Screen;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
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

  private static CommandSpec find(CommandSpec root, String name) {
    CommandLine command = root.subcommands().get(name);
    if (command == null) {
      throw Refusal.usage("there is no command \"" + name + "\"; pawl help lists them");
    }
    return command.getCommandSpec();
  }

  private static void writeAll(CommandSpec root, Path directory) {
    List<CommandSpec> all = new ArrayList<>(List.of(root));
    root.subcommands().values().forEach(command -> all.add(command.getCommandSpec()));
    try {
      Files.createDirectories(directory);
      for (CommandSpec command : all) {
        Files.writeString(directory.resolve(ManPage.title(command) + ".1"), ManPage.of(command));
      }
    } catch (IOException e) {
      throw new Refusal(ExitCode.NO, "cannot write to " + directory + ": " + e);
    }
  }
}
