package dev.pawl.console.access;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;

/** Addresses that begin with the same bits: {@code 10.0.0.5}, {@code 10.0.0.0/24}, {@code ::1}. */
public final class AddressRange {

  private static final Pattern LITERAL =
      Pattern.compile("[0-9.]+|\\[?[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*]?");

  private final byte[] address;
  private final int bits;

  private AddressRange(byte[] address, int bits) {
    this.address = address;
    this.bits = bits;
  }

  /** Reads one. */
  public static AddressRange parse(String text) {
    int slash = text.indexOf('/');
    String host = slash < 0 ? text : text.substring(0, slash);
    try {
      byte[] address = bytes(host);
      int all = address.length * 8;
      int bits = slash < 0 ? all : Integer.parseInt(text.substring(slash + 1));
      if (bits >= 0 && bits <= all) {
        return new AddressRange(address, bits);
      }
    } catch (IllegalArgumentException e) {
      // Said below.
    }
    throw new IllegalArgumentException(
        "\"" + text + "\" is no address such as 10.0.0.5, 10.0.0.0/24 or ::1");
  }

  /** Tells whether it is written as an address, and not as a name that somebody may redirect. */
  public static boolean isLiteral(String host) {
    try {
      bytes(host);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  boolean contains(String text) {
    byte[] other;
    try {
      other = bytes(text);
    } catch (IllegalArgumentException e) {
      return false;
    }
    if (other.length != address.length) {
      return false;
    }
    for (int i = 0; i < bits; i++) {
      int mask = 0x80 >> (i % 8);
      if ((other[i / 8] & mask) != (address[i / 8] & mask)) {
        return false;
      }
    }
    return true;
  }

  private static byte[] bytes(String host) {
    // Anything else would be looked up.
    if (!LITERAL.matcher(host).matches()) {
      throw new IllegalArgumentException("not an address: " + host);
    }
    try {
      return InetAddress.getByName(host).getAddress();
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("not an address: " + host, e);
    }
  }
}
