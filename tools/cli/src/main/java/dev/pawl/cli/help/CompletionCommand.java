package dev.pawl.cli.help;

import dev.pawl.cli.shell.Screen;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code pawl completion}: what a shell needs to complete the commands and options. */
@Command(
    name = "completion",
    description = "Print what lets bash or zsh complete commands and options.",
    footer = {
      "",
      "Examples:",
      "  source <(pawl completion bash)",
      "  pawl completion bash > ~/.local/share/bash-completion/completions/pawl"
    })
public final class CompletionCommand implements Runnable {

  /** The shells that it is for. */
  enum Shell {
    BASH,
    ZSH;

    @Override
    public String toString() {
      return this == BASH ? "bash" : "zsh";
    }
  }

  @Spec private @Nullable CommandSpec spec;

  @SuppressWarnings("unused") // One script serves both; the argument keeps room for another.
  @Parameters(paramLabel = "SHELL", description = "One of: ${COMPLETION-CANDIDATES}.")
  private @Nullable Shell shell;

  @Override
  public void run() {
    CommandSpec command = Objects.requireNonNull(spec);
    CommandSpec root = command.root();
    Screen.of(command).show(AutoComplete.bash(root.name(), root.commandLine()));
  }
}
