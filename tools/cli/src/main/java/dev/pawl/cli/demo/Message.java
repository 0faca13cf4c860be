package dev.pawl.cli.demo;

/**
 * A text message on its way to a customer.
 *
 * @param tick when the reminder was due, in milliseconds since 1970
 * @param node the number of the node that sends it
 */
record Message(Act act, long tick, String customer, int node) {}
