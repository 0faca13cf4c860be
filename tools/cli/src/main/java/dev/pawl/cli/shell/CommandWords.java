package dev.pawl.cli.shell;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Stack;
import picocli.CommandLine.IParameterConsumer;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The words of a command to run: from the first one on they are all its own, also those that look
 * like our options.
 */
public final class CommandWords implements IParameterConsumer {

  @Override
  @SuppressWarnings("JdkObsolete") // It is what picocli hands over.
  public void consumeParameters(Stack<String> left, ArgSpec argument, CommandSpec command) {
    List<String> words = new ArrayList<>(left);
    // The next one is on top of the stack.
    Collections.reverse(words);
    left.clear();
    argument.setValue(words);
  }
}
