package dev.pawl.machine;

import dev.pawl.spi.Signal;
import java.util.List;

/**
 * What one command does to a name.
 *
 * @param state the name's state from now on
 * @param reply the answer to whoever sent the command
 * @param signals what others are to be told: the node of each claim in them
 */
public record Step<R>(LockState state, R reply, List<Signal> signals) {}
