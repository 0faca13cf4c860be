package dev.pawl.cli;

import dev.pawl.cli.console.ConsoleCommand;
import dev.pawl.cli.demo.DemoCommand;
import dev.pawl.cli.doctor.DoctorCommand;
import dev.pawl.cli.help.CommandGroups;
import dev.pawl.cli.help.CompletionCommand;
import dev.pawl.cli.help.ManCommand;
import dev.pawl.cli.look.JobsCommand;
import dev.pawl.cli.look.JournalCommand;
import dev.pawl.cli.look.ListCommand;
import dev.pawl.cli.look.ModeCommand;
import dev.pawl.cli.look.ReleaseCommand;
import dev.pawl.cli.look.ShowCommand;
import dev.pawl.cli.look.TopCommand;
import dev.pawl.cli.look.WaitCommand;
import dev.pawl.cli.run.HoldCommand;
import dev.pawl.cli.run.RunCommand;
import dev.pawl.cli.shell.CommandShell;
import dev.pawl.cli.shell.ExitCode;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The command {@code pawl}. */
@Command(
    name = "pawl",
    description = "Locks across machines: one at a time, of all processes on all hosts.",
    mixinStandardHelpOptions = true,
    scope = ScopeType.INHERIT,
    versionProvider = Main.Version.class,
    synopsisSubcommandLabel = "COMMAND",
    footer = {
      "",
      "Where no store is named, by an option, a variable or a profile, the locks are in a SQLite"
          + " file of yours, for this host alone.",
      "pawl help COMMAND shows the options of a command, pawl man COMMAND its page.",
      "",
      "Examples:",
      "  pawl ls",
      "  pawl show invoice:42 --store redis://localhost"
    },
    subcommands = {
      RunCommand.class,
      HoldCommand.class,
      ListCommand.class,
      ShowCommand.class,
      JobsCommand.class,
      JournalCommand.class,
      WaitCommand.class,
      TopCommand.class,
      ConsoleCommand.class,
      ReleaseCommand.class,
      ModeCommand.class,
      DoctorCommand.class,
      DemoCommand.class,
      CompletionCommand.class,
      ManCommand.class,
      HelpCommand.class,
    })
public final class Main implements Callable<Integer> {

  @Spec private @Nullable CommandSpec spec;

  @SuppressWarnings("unused") // CommandShell looks for it, also where the arguments are wrong.
  @Option(
      names = "--debug",
      scope = ScopeType.INHERIT,
      description = "Show stack traces and the log of the library.")
  private boolean debug;

  public static void main(String[] args) {
    System.exit(CommandShell.run(commandLine(), args));
  }

  static CommandLine commandLine() {
    return CommandGroups.applyTo(CommandShell.of(new Main()));
  }

  @Override
  public Integer call() {
    CommandLine command = Objects.requireNonNull(spec).commandLine();
    command.usage(command.getErr());
    return ExitCode.USAGE;
  }

  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = Main.class.getPackage().getImplementationVersion();
      return new String[] {"pawl " + (version == null ? "(not packaged)" : version)};
    }
  }
}
