package dev.pawl.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ZooKeeperUrlTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "zk://h?sesionTimeout=5s | unknown parameter \"sesionTimeout\"; did you mean sessionTimeout?",
        "zk://h?colour=red | unknown parameter \"colour\"; known are acl, keyStore,",
        "zk://h?sessionTimeout=5 | sessionTimeout: \"5\" is no duration",
        "zk://h?retention=PT5S | retention: \"PT5S\" is no duration",
        "zk://h?sessionTimeout=2h | sessionTimeout is 2h; allowed is",
        "zk://h?tls=yes | tls is \"yes\"; allowed is true and false",
        "zk://h?user=alice | a user needs a password",
        "zk://h:70000 | a port is \"70000\"; allowed is 1 to 65535",
        "zk://h?sessionTimeout=5s&sessionTimeout=9s | sessionTimeout is given twice",
        "zk://alice:secret@h?user=bob | the user or the password is given twice",
        "zk://alice:secret@h?passwordEnv=X | the user or the password is given twice",
        "zk://h?user=a&passwordFile=f&passwordEnv=X | one of passwordFile and passwordEnv is enough",
        "zk://h?tls=true&trustStorePasswordFile=f | trustStorePasswordFile is for a trustStore",
        "zk://h?tls=true&keyStorePasswordFile=f | keyStorePasswordFile is for a keyStore"
      })
  void whatIsWrongIsSaid(String url, String message) {
    assertThatThrownBy(() -> ZooKeeperStore.open(url))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  /** An attempt to connect lasts for the session's timeout divided by the number of addresses. */
  @Test
  void fewAddressesAreTriedForAShorterTimeEach() {
    assertThat(ZooKeeperUrl.parse("zk://a:1").connectString()).isEqualTo("a:1,a:1,a:1,a:1");
    assertThat(ZooKeeperUrl.parse("zk://a:1,b:1").connectString()).isEqualTo("a:1,b:1,a:1,b:1");
    assertThat(ZooKeeperUrl.parse("zk://a:1,b:1,c:1").connectString()).isEqualTo("a:1,b:1,c:1");
  }
}
