package dev.pawl.degrade.protocol;

/**
 * Which two stores a record is about, so that a node that was configured with others is refused.
 *
 * @param primary the identity of the primary
 * @param backup the identity of the backup
 */
public record Stores(String primary, String backup) {}
