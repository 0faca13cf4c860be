/**
 * Locks in a SQL database: SQLite, PostgreSQL, MariaDB, MySQL, H2.
 *
 * <h2>The protocol (lease record)</h2>
 *
 * <b>What is stored:</b> one record for each name, keyed by the name's bytes: the highest token,
 * the mark, a version, and the lock's state. A state with one holder and nobody else is in columns;
 * any other is in one column of bytes ({@code rest}). {@code until_us} is the time at which
 * everybody in the record has expired; a release sets it to 0 and leaves the columns of its holder.
 * <b>What makes it atomic:</b> a free name is taken, and a name nobody waits for is freed, by one
 * statement. Everything else reads the record, runs {@code LockMachine} on it, and writes it where
 * its version is still the one that was read; otherwise it begins again, and after three times
 * locks the record first. Every statement is on one record and in auto-commit mode, or in a
 * transaction on one record, so that nobody holds one record while waiting for another, and there
 * are no deadlocks. The one exception is a batch of renewals: a transaction over records that only
 * their holder writes in batches, in the order of their names. <b>Which clock:</b> the database's,
 * in microseconds (SQLite's in milliseconds), read in the statement that uses it. <b>Tokens:</b>
 * the last one plus one, or the clock if that is more.
 *
 * <p>A version begins with the clock when the record is made, so that a record that was deleted and
 * made anew is never taken for the old one.
 *
 * <h2>The protocol (row lock)</h2>
 *
 * An open transaction that has done {@code SELECT … FOR UPDATE} on the name's row is the lock. The
 * token stands in another table and is committed at once by whoever has the row, so that it
 * survives the rollback of a holder that crashes. It is read on the connection of the lock, written
 * only over what was read there, and counts only if that connection still answers afterwards.
 *
 * <h2>Registers</h2>
 *
 * A row each in a table of their own, whatever the strategy, written by one statement where the
 * version is still the one that was seen. Rows stay, with or without a value.
 *
 * <h2>What happens on each failure</h2>
 *
 * <table>
 * <caption>Failures</caption>
 * <tr><th>failure</th><th>what happens</th></tr>
 * <tr><td>no connection to be had</td><td>unavailable; nothing was sent</td></tr>
 * <tr><td>connection lost during a statement that writes</td><td>outcome unknown; the node repeats
 * it with the same claim, which finds its grant</td></tr>
 * <tr><td>connection lost during a read</td><td>unavailable</td></tr>
 * <tr><td>deadlock, serialization failure, lock wait, SQLite busy</td><td>rolled back by the
 * database; tried again here, then unavailable</td></tr>
 * <tr><td>a commit fails: a full disk</td><td>an error; what a statement returns counts only once
 * it was read to its end, which is behind its commit</td></tr>
 * <tr><td>a host vanishes in the middle of a transaction</td><td>PostgreSQL and MariaDB end it after
 * the timeout, for a pool of ours; elsewhere its records stay locked until TCP notices</td></tr>
 * <tr><td>the connection of a row lock is cut</td><td>before the grant: not granted; after it: free
 * at once, and noticed at the next renewal</td></tr>
 * <tr><td>the connection of a row lock is silent</td><td>its renewals are in doubt, and those of
 * others go on; it is lost when its driver gives the connection up, or its lease ends</td></tr>
 * <tr><td>the record changed between read and write</td><td>read again; then locked</td></tr>
 * <tr><td>server restarts</td><td>records are as committed; leases that have not ended are renewed,
 * the others are lost at their node's deadline</td></tr>
 * <tr><td>PostgreSQL crashes right after a release, which does not wait for the disk</td><td>the
 * name stays held until its lease ends; a later grant cannot have been committed without the
 * release</td></tr>
 * <tr><td>commits lost (asynchronous replication, no fsync)</td><td>a lock may be granted twice;
 * tokens still rise with the clock, and the fence refuses the older</td></tr>
 * <tr><td>a notification is lost</td><td>the node's poll finds the grant within 1.5 s</td></tr>
 * <tr><td>the server became a replica</td><td>unavailable: read-only; new connections are made,
 * which find the primary where the URL has several hosts</td></tr>
 * </table>
 */
@NullMarked
package dev.pawl.jdbc;

import org.jspecify.annotations.NullMarked;
