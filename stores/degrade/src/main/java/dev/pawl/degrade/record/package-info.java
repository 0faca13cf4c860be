/** The record of a pair as it stands in a register of the backup. */
@NullMarked
package dev.pawl.degrade.record;

import org.jspecify.annotations.NullMarked;
