/** The tables: their form, made at first use or by a DBA, and their upgrade. */
@NullMarked
package dev.pawl.jdbc.schema;

import org.jspecify.annotations.NullMarked;
