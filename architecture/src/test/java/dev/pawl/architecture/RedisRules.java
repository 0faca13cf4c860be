package dev.pawl.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import java.util.stream.Stream;

/**
 * The borders inside of {@code pawl-redis}, written for a root package as {@link Rules} are.
 *
 * <p>From below: the port; what both clients share to hear messages; the clients beside each other;
 * the parts of the store, and Redlock above them. Only the root package, which opens stores by URL,
 * sees clients and stores together.
 */
record RedisRules(String root) {

  private static final List<String> LETTUCE = List.of("io.lettuce..", "io.netty..");
  private static final List<String> JEDIS =
      List.of("redis.clients..", "org.apache.commons.pool2..");

  ArchRule clientsDoNotSeeEachOther(String client) {
    return client.equals("lettuce")
        ? knowsNone("lettuce", List.of("jedis"), JEDIS)
            .because("an application brings one client library, and not the other")
        : knowsNone("jedis", List.of("lettuce"), LETTUCE)
            .because("an application brings one client library, and not the other");
  }

  ArchRule clientsKnowNoStore(String client) {
    return knowsNone(client, List.of("store", "redlock"), List.of())
        .because("a client sends scripts and hears messages, whatever they mean");
  }

  ArchRule knowsNoClient(String part) {
    return knowsNone(
            part,
            List.of("lettuce", "jedis", "feed"),
            Stream.concat(LETTUCE.stream(), JEDIS.stream()).toList())
        .because("stores know the port, so that a team brings the client that it has");
  }

  ArchRule theStoreOnOneServerKnowsNoRedlock() {
    return knowsNone("store", List.of("redlock"), List.of())
        .because("Redlock is made of what one server does");
  }

  ArchRule theFeedKnowsNeitherClientNorStore() {
    return knowsNone(
            "feed",
            List.of("lettuce", "jedis", "store", "redlock"),
            Stream.concat(LETTUCE.stream(), JEDIS.stream()).toList())
        .because("it is what both clients share, and hands on what it does not read");
  }

  ArchRule thePortKnowsNothingAboveIt() {
    return knowsNone(
            "port",
            List.of("feed", "lettuce", "jedis", "store", "redlock"),
            Stream.concat(LETTUCE.stream(), JEDIS.stream()).toList())
        .because("everything else stands on it");
  }

  private ArchRule knowsNone(String part, List<String> parts, List<String> libraries) {
    return noClasses()
        .that()
        .resideInAPackage(root + "." + part + "..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            Stream.concat(parts.stream().map(each -> root + "." + each + ".."), libraries.stream())
                .toArray(String[]::new));
  }
}
