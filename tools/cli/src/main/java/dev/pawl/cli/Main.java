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
import dev.pawl.cli.shell.StoreOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Mixin;
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
    })
public final class Main implements Callable<Integer> {

  /** The commands by their names, in the order in which they are told. */
  private static final Map<String, Class<?>> COMMANDS = new LinkedHashMap<>();

  static {
    COMMANDS.put("run", RunCommand.class);
    COMMANDS.put("hold", HoldCommand.class);
    COMMANDS.put("ls", ListCommand.class);
    COMMANDS.put("show", ShowCommand.class);
    COMMANDS.put("jobs", JobsCommand.class);
    COMMANDS.put("journal", JournalCommand.class);
    COMMANDS.put("wait", WaitCommand.class);
    COMMANDS.put("top", TopCommand.class);
    COMMANDS.put("console", ConsoleCommand.class);
    COMMANDS.put("release", ReleaseCommand.class);
    COMMANDS.put("mode", ModeCommand.class);
    COMMANDS.put("doctor", DoctorCommand.class);
    COMMANDS.put("demo", DemoCommand.class);
    COMMANDS.put("completion", CompletionCommand.class);
    COMMANDS.put("man", ManCommand.class);
    COMMANDS.put("help", HelpCommand.class);
  }

  /** Those that tell of all commands. */
  private static final Set<String> OF_ALL = Set.of("completion", "man", "help");

  @Spec private @Nullable CommandSpec spec;

  @SuppressWarnings("unused") // CommandShell looks for it, also where the arguments are wrong.
  @Option(
      names = "--debug",
      scope = ScopeType.INHERIT,
      description = "Show stack traces and the log of the library.")
  private boolean debug;

  @SuppressWarnings("unused") // It counts for the command that follows, which looks for it.
  @Mixin
  private final StoreOption store = new StoreOption();

  public static void main(String[] args) {
    System.exit(CommandShell.run(commandLine(args), args));
  }

  /**
   * Returns what runs these arguments. If they begin with a command it knows that one alone: to
   * read the options of all takes longer than most commands do.
   */
  static CommandLine commandLine(String... arguments) {
    String first = arguments.length == 0 ? "" : arguments[0];
    boolean isOne = COMMANDS.containsKey(first) && !OF_ALL.contains(first);
    CommandSpec pawl = CommandSpec.forAnnotatedObject(new Main());
    COMMANDS.forEach(
        (name, type) -> {
          if (!isOne || name.equals(first)) {
            pawl.addSubcommand(name, new CommandLine(type));
          }
        });
    return CommandGroups.applyTo(CommandShell.of(pawl));
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
