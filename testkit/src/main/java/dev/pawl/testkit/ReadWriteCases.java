package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.DeadlockException;
import dev.pawl.DistributedReadWriteLock;
import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.spi.Capability;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Read-write locks: many readers or one writer, downgrade, and no upgrade. */
@Needs(Capability.SHARED)
@SuppressWarnings("LockNotBeforeTry") // Each step is looked at by itself.
abstract class ReadWriteCases extends ApiCases {

  ReadWriteCases(StoreConformance suite) {
    super(suite);
  }

  @Test
  void readersOfAllNodesHoldItTogether() throws Exception {
    DistributedReadWriteLock a = pawl("a").readWriteLock(name());
    DistributedReadWriteLock b = pawl("b").readWriteLock(name());
    try (Lease one = a.readLock().acquire();
        Lease two = a.readLock().acquire();
        Lease three = b.readLock().acquire()) {
      assertThat(one.isHeld() && two.isHeld() && three.isHeld()).isTrue();
      assertThat(b.writeLock().tryAcquire()).isEmpty();
      assertThat(a.writeLock().tryAcquire()).isEmpty();
    }
    b.writeLock().tryAcquire().orElseThrow().close();
    nobodyIsLeft();
  }

  @Test
  void aWriterIsAlone() throws Exception {
    DistributedReadWriteLock a = pawl("a").readWriteLock(name());
    DistributedReadWriteLock b = pawl("b").readWriteLock(name());
    try (Lease writer = a.writeLock().acquire()) {
      assertThat(b.readLock().tryAcquire()).isEmpty();
      assertThat(b.writeLock().tryAcquire()).isEmpty();
      assertThat(a.readLock().tryAcquire()).isEmpty();
      writer.ensureHeld();
    }
    b.readLock().tryAcquire().orElseThrow().close();
  }

  @Test
  void aWriterWaitsForTheLastReader() throws Exception {
    DistributedReadWriteLock a = pawl("a").readWriteLock(name());
    DistributedReadWriteLock b = pawl("b").readWriteLock(name());
    Lease one = a.readLock().acquire();
    Lease two = a.readLock().acquire();
    Background<Lease> writer =
        Background.startAndBlock("writer", () -> b.writeLock().acquire(LONG));

    one.close();
    assertThat(writer.isDone()).isFalse();
    two.close();

    Lease written = writer.result();
    assertThat(written.token()).isGreaterThan(Math.max(one.token(), two.token()));
    written.close();
    nobodyIsLeft();
  }

  @Test
  void theExclusiveLockOfThatNameIsItsWriteLock() throws Exception {
    Pawl a = pawl("a");
    Pawl b = pawl("b");
    try (Lease reader = a.readWriteLock(name()).readLock().acquire()) {
      assertThat(b.lock(name()).tryAcquire()).isEmpty();
      reader.ensureHeld();
    }
    try (Lease lease = b.lock(name()).acquire(LONG)) {
      assertThat(a.readWriteLock(name()).readLock().tryAcquire()).isEmpty();
      lease.ensureHeld();
    }
  }

  @Test
  void aReaderWhoWantsToWriteIsRefused() throws Exception {
    DistributedReadWriteLock lock = pawl("a").readWriteLock(name());
    lock.readLock().lock();

    assertThatThrownBy(lock.writeLock()::lock)
        .isInstanceOf(DeadlockException.class)
        .hasMessageContaining(name())
        .hasMessageContaining("read lock")
        .hasMessageContaining("write lock");
    assertThatThrownBy(lock.writeLock()::lockInterruptibly).isInstanceOf(DeadlockException.class);
    assertThatThrownBy(lock.writeLock()::acquire).isInstanceOf(DeadlockException.class);
    assertThat(lock.writeLock().tryLock()).as("which does not wait").isFalse();
    assertThat(lock.writeLock().tryAcquire(Duration.ZERO)).as("nor does this").isEmpty();

    assertThat(lock.readLock().isHeldByCurrentThread()).isTrue();
    lock.readLock().unlock();
    lock.writeLock().lock();
    lock.writeLock().unlock();
  }

  @Test
  void aThreadThatWouldWaitForItsOwnLeaseIsRefusedAtOnce() throws Exception {
    DistributedReadWriteLock lock = pawl("a").readWriteLock(name());
    try (Lease reading = lock.readLock().acquire()) {
      assertThatThrownBy(lock.writeLock()::acquire)
          .isInstanceOf(DeadlockException.class)
          .hasMessageContaining("would wait for itself");
      assertThat(lock.writeLock().tryAcquire()).isEmpty();
      reading.ensureHeld();
    }
    try (Lease writing = lock.writeLock().acquire()) {
      assertThatThrownBy(lock.readLock()::acquire)
          .isInstanceOf(DeadlockException.class)
          .hasMessageContaining("would wait for itself");
      assertThat(lock.readLock().tryAcquire()).isEmpty();
      writing.ensureHeld();
    }
    nobodyIsLeft();
  }

  @Test
  void aWriterWhoBecomesAReaderLetsReadersInAndWritersNot() throws Exception {
    DistributedReadWriteLock a = pawl("a").readWriteLock(name());
    Pawl nodeB = pawl("b");
    DistributedReadWriteLock b = nodeB.readWriteLock(name());
    a.writeLock().lock();
    long token = a.writeLock().token();
    a.readLock().lock();
    assertThat(b.readLock().tryAcquire()).isEmpty();

    a.writeLock().unlock();

    assertThat(a.writeLock().isHeldByCurrentThread()).isFalse();
    assertThat(a.readLock().isHeldByCurrentThread()).isTrue();
    assertThat(a.readLock().token()).isEqualTo(token);
    Lease reader = b.readLock().acquire(LONG);
    assertThat(b.writeLock().tryAcquire()).isEmpty();

    a.readLock().unlock();
    reader.close();
    takenElsewhere(nodeB, name());
    nobodyIsLeft();
  }

  @Test
  void aWaitingReaderComesInWhenAWriterBecomesAReader() throws Exception {
    DistributedReadWriteLock a = pawl("a").readWriteLock(name());
    DistributedReadWriteLock b = pawl("b").readWriteLock(name());
    a.writeLock().lock();
    Background<Lease> reader = Background.startAndBlock("b", () -> b.readLock().acquire(LONG));

    a.readLock().lock();
    a.writeLock().unlock();

    reader.result().close();
    assertThat(a.readLock().isHeldByCurrentThread()).isTrue();
    a.readLock().unlock();
  }

  @Test
  void aWriterMayReadAndGoOnWriting() throws Exception {
    DistributedReadWriteLock a = pawl("a").readWriteLock(name());
    DistributedReadWriteLock b = pawl("b").readWriteLock(name());
    a.writeLock().lock();
    a.readLock().lock();
    a.readLock().unlock();

    assertThat(a.writeLock().isHeldByCurrentThread()).isTrue();
    assertThat(b.readLock().tryAcquire()).isEmpty();

    a.writeLock().unlock();
    b.readLock().tryAcquire().orElseThrow().close();
  }

  @Test
  @Needs(Capability.FAIR)
  void aReaderDoesNotOvertakeAWaitingWriter() throws Exception {
    inTime(
        ALIVE,
        name -> {
          DistributedReadWriteLock a = pawl("a").readWriteLock(name);
          DistributedReadWriteLock b = pawl("b").readWriteLock(name);
          Lease reader = a.readLock().acquire();
          Background<Long> writer =
              Background.startAndBlock(
                  "writer",
                  () -> {
                    try (Lease lease = b.writeLock().acquire(LONG)) {
                      return lease.token();
                    }
                  });
          waitsInTheStore(name, "b");

          Optional<Lease> late = a.readLock().tryAcquire();

          assertThat(late).isEmpty();
          reader.close();
          assertThat(writer.result()).isGreaterThan(reader.token());
        });
  }
}
