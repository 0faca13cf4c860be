package dev.pawl.redis.store;

import dev.pawl.redis.port.Slots;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The keys and channels of a store: {@code pawl:{TAG}:NAME} for a name, {@code
 * pawl:register:{TAG}:KEY} for a register.
 *
 * <p>The tag is one of {@value #TAGS}, chosen by the name. In a cluster, names of one tag live in
 * one slot and can be renewed in one command; the tags' slots are spread evenly over the cluster.
 * The tag stands before the name, so that braces in a name have no meaning.
 */
public final class RedisKeys {

  /** How many tags: the most commands that a renewal takes, and the most masters with locks. */
  public static final int TAGS = 64;

  private static final String REGISTER = ":register:{";

  private static final List<String> TAG_TEXTS = evenTags();

  private final String prefix;

  public RedisKeys(String prefix) {
    this.prefix = prefix;
  }

  String prefix() {
    return prefix;
  }

  public String key(String name) {
    return prefix + ":{" + tag(name) + "}:" + name;
  }

  /** Returns the name that a key is of. */
  public static String name(String key) {
    return key.substring(key.indexOf("}:") + 2);
  }

  public String channel(String node) {
    return prefix + ":node:" + node;
  }

  /** Returns the channels of a node that each are in the slot of a tag. */
  public List<String> shardChannels(String node) {
    return TAG_TEXTS.stream().map(tag -> prefix + ":node:{" + tag + "}:" + node).toList();
  }

  public String journal() {
    return prefix + ":journal";
  }

  /** Returns the journal of one name, in the slot of the one for all. */
  public String journal(String name) {
    return prefix + ":journal:{" + journal() + "}:" + name;
  }

  /** Returns the key of a register. */
  String register(String key) {
    return prefix + REGISTER + tag(key) + "}:" + key;
  }

  /** Returns the register that a key is of, if it is of one. */
  Optional<String> ofRegister(String key) {
    int end = key.indexOf("}:");
    String register = end < 0 ? "" : key.substring(end + 2);
    return register(register).equals(key) ? Optional.of(register) : Optional.empty();
  }

  /** Returns a pattern of the keys of registers that begin with that, literally. */
  String registerPattern(String keyPrefix) {
    return pattern(REGISTER + "*}:", keyPrefix);
  }

  /** Returns a pattern of the keys whose names begin with that, literally. */
  String pattern(String namePrefix) {
    return pattern(":{*}:", namePrefix);
  }

  private String pattern(String kind, String namePrefix) {
    StringBuilder pattern = new StringBuilder(prefix).append(kind);
    for (int i = 0; i < namePrefix.length(); i++) {
      char c = namePrefix.charAt(i);
      if ("*?[]\\^-".indexOf(c) >= 0) {
        pattern.append('\\');
      }
      pattern.append(c);
    }
    return pattern.append('*').toString();
  }

  public static String tag(String name) {
    return TAG_TEXTS.get(Slots.crc16(name) % TAGS);
  }

  private static List<String> evenTags() {
    String[] tags = new String[TAGS];
    int found = 0;
    for (int i = 0; found < TAGS; i++) {
      String text = Integer.toString(i);
      int part = Slots.crc16(text) % Slots.COUNT / (Slots.COUNT / TAGS);
      if (tags[part] == null) {
        tags[part] = text;
        found++;
      }
    }
    return Arrays.asList(tags);
  }
}
