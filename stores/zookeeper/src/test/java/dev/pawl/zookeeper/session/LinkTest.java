package dev.pawl.zookeeper.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.Test;

class LinkTest {

  @Test
  void whatTheServersMadeOfTheTimeoutIsSaidOnceAndAgainWhenItChanges() {
    CuratorFramework client =
        CuratorFrameworkFactory.newClient("127.0.0.1:1", new RetryOneTime(100));
    Link link = new Link(client, true, "zk://127.0.0.1:1", 10_000, List.of());

    assertThat(link.isToBeTold(10_000)).as("as it was asked for").isFalse();
    assertThat(link.isToBeTold(4_000)).isTrue();
    assertThat(link.isToBeTold(4_000)).as("by the next session").isFalse();
    assertThat(link.isToBeTold(6_000)).isTrue();
  }
}
