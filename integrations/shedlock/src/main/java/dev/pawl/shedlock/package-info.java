/** ShedLock's annotations over Pawl: {@link dev.pawl.shedlock.PawlLockProvider}. */
@org.jspecify.annotations.NullMarked
package dev.pawl.shedlock;
