/** What tells people about the commands: help in groups, manual pages, shell completion. */
@NullMarked
package dev.pawl.cli.help;

import org.jspecify.annotations.NullMarked;
