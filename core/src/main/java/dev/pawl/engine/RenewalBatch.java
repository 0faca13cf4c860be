package dev.pawl.engine;

import dev.pawl.spi.Command;

/** Collects what one wake-up of the timers wants renewed. */
@FunctionalInterface
interface RenewalBatch {

  void add(Claim claim, Command.Renew command);
}
