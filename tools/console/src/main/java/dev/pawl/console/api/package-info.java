/** The JSON API: what the page shows, and what it asks for. */
@NullMarked
package dev.pawl.console.api;

import org.jspecify.annotations.NullMarked;
