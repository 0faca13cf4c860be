package dev.pawl.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Lease;
import dev.pawl.LeaseLostException;
import dev.pawl.LockInfo;
import dev.pawl.Pawl;
import dev.pawl.StaleTokenException;
import dev.pawl.testservers.PostgresServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The lock and the transaction, on a real PostgreSQL. */
@Tag("safety")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TransactionsTest {

  /** Longer than a busy machine stands still, and so short that a loss is soon known. */
  private static final String HELD = "6s";

  /** Of a process that is stopped until another has the lock. */
  private static final String SOON_LOST = "2s";

  private PostgresServer server;
  private ConfigurableApplicationContext context;
  private Accounts.Service service;
  private JdbcTemplate jdbc;
  private Pawl other;

  @TempDir Path directory;

  private String[] arguments(String lease, String... more) {
    String[] all = new String[more.length + 3];
    all[0] = "--spring.datasource.url=" + server.url();
    all[1] = "--pawl.defaults.lease=" + lease;
    all[2] = "--spring.application.name=accounts";
    System.arraycopy(more, 0, all, 3, more.length);
    return all;
  }

  @BeforeAll
  void start() {
    server = PostgresServer.start("fsync=off");
    context = SpringApplication.run(Accounts.class, arguments(HELD));
    service = context.getBean(Accounts.Service.class);
    jdbc = context.getBean(JdbcTemplate.class);
    jdbc.execute("CREATE TABLE account (id INT PRIMARY KEY, owner TEXT NOT NULL)");
    jdbc.execute("INSERT INTO account VALUES (1, 'nobody')");
    other = Pawl.builder(server.url()).label("other").build();
  }

  @BeforeEach
  void reset() {
    jdbc.update("UPDATE account SET owner = 'nobody'");
  }

  @AfterAll
  void end() {
    other.close();
    context.close();
    server.close();
  }

  private String owner() {
    return jdbc.queryForObject("SELECT owner FROM account WHERE id = 1", String.class);
  }

  /** By connections of its own, as another node sees it. */
  private boolean isLocked() {
    return other.inspector().find(Accounts.LOCK).map(LockInfo::holders).orElseThrow().size() == 1;
  }

  private void steal() {
    LockInfo.Holder holder = other.inspector().find(Accounts.LOCK).orElseThrow().holders().get(0);
    assertThat(other.inspector().forceRelease(Accounts.LOCK, holder.token(), "ann", "test"))
        .isTrue();
  }

  @Test
  void theLockIsOutsideOfTheTransactionWhateverTheOrderOfTheAnnotations() {
    boolean[] lockedAfterCommit = new boolean[2];
    Runnable look =
        () ->
            TransactionSynchronizationManager.registerSynchronization(
                new org.springframework.transaction.support.TransactionSynchronization() {
                  @Override
                  public void afterCommit() {
                    lockedAfterCommit[owner().equals("ann") ? 0 : 1] = isLocked();
                  }
                });
    service.set("ann", look);
    assertThat(owner()).isEqualTo("ann");
    service.setTheOtherWayRound("bob", look);
    assertThat(owner()).isEqualTo("bob");
    assertThat(lockedAfterCommit).containsExactly(true, true);
    assertThat(isLocked()).isFalse();
  }

  @Test
  void insideOfAnOpenTransactionTheLockIsHeldUntilItHasCompleted() {
    Accounts.Outside outside = context.getBean(Accounts.Outside.class);
    outside.twiceInOneTransaction("ann", () -> assertThat(isLocked()).isTrue());
    assertThat(isLocked()).isFalse();
    assertThat(owner()).isEqualTo("ann");
  }

  @Test
  void insideOfAnOpenTransactionThatIsRolledBackToo() {
    Accounts.Outside outside = context.getBean(Accounts.Outside.class);
    assertThatThrownBy(
            () ->
                outside.twiceInOneTransaction(
                    "ann",
                    () -> {
                      throw new IllegalStateException("mine");
                    }))
        .hasMessage("mine");
    assertThat(isLocked()).isFalse();
    assertThat(owner()).isEqualTo("nobody");
  }

  @Test
  void insideOfAnOpenTransactionTheLeaseIsCheckedBeforeItsCommit() {
    Accounts.Outside outside = context.getBean(Accounts.Outside.class);
    assertThatThrownBy(() -> outside.twiceInOneTransaction("ann", this::stealAndWait))
        .isInstanceOf(LeaseLostException.class);
    assertThat(owner()).isEqualTo("nobody");
  }

  @Test
  void insideOfAnOpenTransactionACallCanBeRefused() {
    assertThatThrownBy(() -> context.getBean(Accounts.Outside.class).refused())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("not taken inside of an open transaction");
  }

  /** Returns when this node knows that the lease was taken away. */
  private void stealAndWait() {
    steal();
    AppProcess.await(() -> !isHeldHere(), () -> "the node was not told");
  }

  private static boolean isHeldHere() {
    return HeldLocks.all().get(0).lock().orElseThrow().lease().isHeld();
  }

  @Test
  void aTransactionWhoseLeaseWasLostIsRolledBack() {
    assertThatThrownBy(() -> service.set("ann", this::stealAndWait))
        .isInstanceOf(LeaseLostException.class);
    assertThat(owner()).isEqualTo("nobody");
    service.set("bob", () -> {});
    assertThat(owner()).isEqualTo("bob");
  }

  @Test
  void theStoreKnowsOfALossBeforeTheNodeDoes() {
    assertThatThrownBy(() -> service.setAskingTheStore("ann", this::steal))
        .isInstanceOf(LeaseLostException.class);
    assertThat(owner()).isEqualTo("nobody");
  }

  @Test
  @NewestBoot
  void aHolderThatWasStoppedPastItsLeaseCommitsNothing() throws Exception {
    Path goOn = directory.resolve("go-on");
    try (AppProcess stale =
        AppProcess.start(
            Accounts.class,
            directory.resolve("log"),
            Map.of(),
            arguments(SOON_LOST, "--app.go-on=" + goOn))) {
      stale.awaitOutput("in the middle");
      stale.signal("STOP");
      try (Lease next = other.lock(Accounts.LOCK).acquire(Duration.ofMinutes(3))) {
        assertThat(next.isHeld()).isTrue();
      }
      Files.createFile(goOn);
      stale.signal("CONT");
      stale.awaitOutput("failed: " + LeaseLostException.class.getName());
      assertThat(stale.output()).doesNotContain("committed");
      assertThat(owner()).isEqualTo("nobody");
    }
  }

  @Test
  @NewestBoot
  void aFenceRefusesTheTokenOfAHolderThatWasStoppedBeforeItsTransaction() throws Exception {
    Path goOn = directory.resolve("go-on-fence");
    try (ConfigurableApplicationContext fenced =
            SpringApplication.run(Accounts.class, arguments(HELD, "--app.fence=true"));
        AppProcess stale =
            AppProcess.start(
                Accounts.class,
                directory.resolve("fence-log"),
                Map.of(),
                arguments(SOON_LOST, "--app.fence=true", "--app.go-on=" + goOn))) {
      stale.awaitOutput("in the middle");
      stale.signal("STOP");
      fenced.getBean(Accounts.Service.class).set("next", () -> {});
      Files.createFile(goOn);
      stale.signal("CONT");
      stale.awaitOutput("failed: ");
      assertThat(stale.output())
          .contains("failed: " + StaleTokenException.class.getName())
          .doesNotContain("committed");
      assertThat(owner()).isEqualTo("next");
    }
  }
}
