/**
 * Metrics and traces of locks and jobs, by Micrometer: {@link dev.pawl.micrometer.PawlMetrics} and
 * {@link dev.pawl.micrometer.PawlObservations}.
 */
@NullMarked
package dev.pawl.micrometer;

import org.jspecify.annotations.NullMarked;
