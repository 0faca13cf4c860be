package dev.pawl.cli.look;

import dev.pawl.cli.shell.Refusal;
import picocli.CommandLine.Option;

/** The options that say for whom a command prints. */
final class OutputOptions {

  /** For whom a command prints. */
  enum Reader {
    PERSON,
    PROGRAM,
    /** One who wants names, or only the exit code. */
    SCRIPT
  }

  @Option(names = "--json", description = "Print one JSON object, for programs.")
  private boolean json;

  @Option(
      names = {"-q", "--quiet"},
      description = "Print the bare names, or nothing where there are none.")
  private boolean quiet;

  Reader reader() {
    if (json && quiet) {
      throw Refusal.usage("--json and --quiet exclude each other");
    }
    return json ? Reader.PROGRAM : quiet ? Reader.SCRIPT : Reader.PERSON;
  }
}
