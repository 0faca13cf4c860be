package dev.pawl.redis;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * The keys and channels of a store: {@code pawl:{TAG}:NAME} for a name.
 *
 * <p>The tag is one of {@value #TAGS}, chosen by the name. In a cluster, names of one tag live in
 * one slot and can be renewed in one command; the tags' slots are spread evenly over the cluster.
 * The tag stands before the name, so that braces in a name have no meaning.
 */
final class RedisKeys {

  /** How many tags: the most commands that a renewal takes, and the most masters with locks. */
  static final int TAGS = 64;

  private static final int SLOTS = 16_384;
  private static final List<String> TAG_TEXTS = evenTags();

  private final String prefix;

  RedisKeys(String prefix) {
    this.prefix = prefix;
  }

  String prefix() {
    return prefix;
  }

  String key(String name) {
    return prefix + ":{" + tag(name) + "}:" + name;
  }

  /** Returns the name that a key is of. */
  static String name(String key) {
    return key.substring(key.indexOf("}:") + 2);
  }

  String channel(String node) {
    return prefix + ":node:" + node;
  }

  /** Returns the channels of a node that each are in the slot of a tag. */
  List<String> shardChannels(String node) {
    return TAG_TEXTS.stream().map(tag -> prefix + ":node:{" + tag + "}:" + node).toList();
  }

  String journal() {
    return prefix + ":journal";
  }

  /** Returns the journal of one name, in the slot of the one for all. */
  String journal(String name) {
    return prefix + ":journal:{" + journal() + "}:" + name;
  }

  /** Returns a pattern of the keys whose names begin with that, literally. */
  String pattern(String namePrefix) {
    StringBuilder pattern = new StringBuilder(prefix).append(":{*}:");
    for (int i = 0; i < namePrefix.length(); i++) {
      char c = namePrefix.charAt(i);
      if ("*?[]\\^-".indexOf(c) >= 0) {
        pattern.append('\\');
      }
      pattern.append(c);
    }
    return pattern.append('*').toString();
  }

  static String tag(String name) {
    return TAG_TEXTS.get(crc16(name) % TAGS);
  }

  /** Returns the cluster's slot of a key. */
  static int slot(String key) {
    int open = key.indexOf('{');
    int close = open < 0 ? -1 : key.indexOf('}', open + 1);
    return crc16(close > open + 1 ? key.substring(open + 1, close) : key) % SLOTS;
  }

  private static List<String> evenTags() {
    String[] tags = new String[TAGS];
    int found = 0;
    for (int i = 0; found < TAGS; i++) {
      String text = Integer.toString(i);
      int part = crc16(text) % SLOTS / (SLOTS / TAGS);
      if (tags[part] == null) {
        tags[part] = text;
        found++;
      }
    }
    return Arrays.asList(tags);
  }

  /** The checksum that a cluster's slots are made of: CRC-16/XMODEM. */
  private static int crc16(String text) {
    int crc = 0;
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      crc ^= (b & 0xff) << 8;
      for (int bit = 0; bit < 8; bit++) {
        crc = (crc & 0x8000) == 0 ? crc << 1 : (crc << 1) ^ 0x1021;
      }
      crc &= 0xffff;
    }
    return crc;
  }
}
