package dev.pawl.cli.help;

import dev.pawl.cli.shell.Screen;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code pawl completion}: what a shell needs to complete commands, options and names. */
@Command(
    name = "completion",
    description = "Print what lets bash or zsh complete commands, options and the names of locks.",
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
    Screen.of(command).show(AutoComplete.bash(root.name(), root.commandLine()) + names());
  }

  /** Returns what asks the store for names, in addition to what is known without it. */
  private static String names() {
    try (InputStream script = CompletionCommand.class.getResourceAsStream("names.bash")) {
      return new String(
          Objects.requireNonNull(script, "names.bash").readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
