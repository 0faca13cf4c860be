/**
 * What a node knows of one claim, as a state machine: an event comes in, a verdict comes out. It
 * sends nothing, sets no timer and calls nobody, so that it is tested event by event.
 */
@NullMarked
package dev.pawl.engine.claims;

import org.jspecify.annotations.NullMarked;
