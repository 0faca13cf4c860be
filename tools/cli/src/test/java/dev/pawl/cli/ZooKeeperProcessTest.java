package dev.pawl.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.cli.PawlProcess.Result;
import dev.pawl.testservers.ZooKeeperServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The commands on ZooKeeper, as processes. */
class ZooKeeperProcessTest {

  private static ZooKeeperServer server;

  @BeforeAll
  static void start() {
    server = ZooKeeperServer.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static String store(String root) {
    return "zk://" + server.address() + "/" + root + "?sessionTimeout=30s";
  }

  @Test
  void whoHoldsIsListedAndShownInEitherStrategy() throws Exception {
    String store = store("looked-at");
    try (Pawl fair = Pawl.builder(store).label("fair-node").build();
        Pawl simple = Pawl.builder(store + "&strategy=simple").label("simple-node").build();
        Lease first = fair.lock("invoice/42").acquire();
        Lease second = simple.lock("report").acquire()) {
      Result list = PawlProcess.run(store, "ls");
      assertThat(list.code()).as(list.err()).isZero();
      assertThat(list.out()).contains("invoice/42", "fair-node", "report", "simple-node");
      assertThat(list.out()).contains("" + first.token(), "" + second.token());
      Result shown = PawlProcess.run(store, "show", "report");
      assertThat(shown.code()).as(shown.err()).isZero();
      assertThat(shown.out()).contains("simple-node", "" + second.token());
    }
  }

  @Test
  void aCommandRunsUnderALock() throws Exception {
    String store = store("run");
    Result free = PawlProcess.run(store, "run", "nightly", "--", "echo", "ran");
    assertThat(free).isEqualTo(new Result(0, "ran\n", free.err()));
    try (Pawl pawl = Pawl.builder(store).label("other").build();
        Lease lease = pawl.lock("nightly").acquire()) {
      Result busy = PawlProcess.run(store, "run", "--wait", "0s", "nightly", "--", "echo", "ran");
      assertThat(busy.code()).as(busy.err()).isNotZero();
      assertThat(busy.out()).isEmpty();
      assertThat(busy.err()).contains("nightly", "other");
      lease.confirm();
    }
  }

  @Test
  void doctorCreatesNothingAndSaysWhatTheServersMakeOfTheSession() {
    Result fresh = PawlProcess.run(store("not-there"), "doctor");
    assertThat(fresh.code()).as(fresh.out() + fresh.err()).isZero();
    assertThat(fresh.out())
        .contains("there is no /not-there yet", "session timeout is 30000 ms", "clock: ")
        .contains("one server is named");
    Result list = PawlProcess.run(store("not-there"), "ls");
    assertThat(list.code()).as(list.err()).isZero();
    assertThat(list.err()).contains("is not there yet");
    Result locked = PawlProcess.run(store("not-there"), "doctor", "--lock");
    assertThat(locked.out()).contains("its token rose");
  }

  @Test
  void aServerThatIsNotThereIsNamed() {
    Result refused = PawlProcess.run("zk://127.0.0.1:1", "ls");
    assertThat(refused.code()).isNotZero();
    assertThat(refused.err()).contains("127.0.0.1:1: connection refused");
    Result malformed = PawlProcess.run("zk://h:x", "ls");
    assertThat(malformed.code()).isNotZero();
    assertThat(malformed.err()).contains("a port is \"x\"", "zk://HOST[:PORT]");
  }
}
