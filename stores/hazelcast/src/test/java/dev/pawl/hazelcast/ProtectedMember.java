package dev.pawl.hazelcast;

import com.hazelcast.config.Config;
import com.hazelcast.core.Hazelcast;

/** A member that an application starts with {@link HazelcastMembers}. */
final class ProtectedMember {

  static final String MINIMUM = "pawl.test.minimum";

  private ProtectedMember() {}

  public static void main(String[] arguments) {
    Hazelcast.newHazelcastInstance(
        HazelcastMembers.configure(Config.load(), Integer.getInteger(MINIMUM)));
  }
}
