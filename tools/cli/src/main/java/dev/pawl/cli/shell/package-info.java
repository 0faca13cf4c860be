/** What all commands share: exit codes, options, and the ways to print. */
@NullMarked
package dev.pawl.cli.shell;

import org.jspecify.annotations.NullMarked;
