package dev.pawl.redis.port;

import java.nio.charset.StandardCharsets;

/** The slots of a cluster, one of which each key is in. */
public final class Slots {

  /** How many there are. */
  public static final int COUNT = 16_384;

  private Slots() {}

  /** Returns the slot of a key, or of a shard channel: of its hash tag, if it has one. */
  public static int of(String key) {
    int open = key.indexOf('{');
    int close = open < 0 ? -1 : key.indexOf('}', open + 1);
    return crc16(close > open + 1 ? key.substring(open + 1, close) : key) % COUNT;
  }

  /** The checksum that slots are made of: CRC-16/XMODEM. */
  public static int crc16(String text) {
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
