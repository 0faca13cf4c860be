package dev.pawl.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.spi.impl.DelegatingCompletableFuture;
import dev.pawl.hazelcast.member.Entries;
import dev.pawl.hazelcast.member.LockLook;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * A call gives the common pool nothing to do. On one or two cores the other kind of future starts a
 * thread for each call, which took more time than all the rest of it.
 */
class EntriesTest {

  private static Embedded members;
  private static HazelcastInstance client;

  @BeforeAll
  static void start() {
    members = new Embedded(1);
    client = Clusters.client(members.member(0));
  }

  @AfterAll
  static void stop() {
    client.shutdown();
    members.close();
  }

  private static CompletionStage<byte[]> look(HazelcastInstance instance) throws Exception {
    CompletionStage<byte[]> answer =
        new Entries(instance, instance.getMap("pawl.locks")).submit("name", new LockLook());
    assertThat(LockLook.micros(answer.toCompletableFuture().get(60, TimeUnit.SECONDS)))
        .isPositive();
    return answer;
  }

  @Test
  void aCallOfAClientIsNotCompletedTwice() throws Exception {
    assertThat(look(client)).isNotInstanceOf(DelegatingCompletableFuture.class);
  }

  @Test
  void aCallOfAMemberIsNotCompletedTwice() throws Exception {
    assertThat(look(members.member(0))).isNotInstanceOf(DelegatingCompletableFuture.class);
  }

  @Test
  void anInstanceThatIsWrappedIsCalledByItsPublicMethods() throws Exception {
    for (HazelcastInstance each : new HazelcastInstance[] {client, members.member(0)}) {
      CountingInstance counting = new CountingInstance(each);
      assertThat(look(counting.instance())).isInstanceOf(DelegatingCompletableFuture.class);
      assertThat(counting.count("submitToKey")).isEqualTo(1);
    }
  }
}
