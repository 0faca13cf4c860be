package dev.pawl.hazelcast.member;

import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Contention;
import dev.pawl.spi.EvictReply;
import dev.pawl.spi.Grant;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.ResetReply;
import dev.pawl.spi.Signal;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInput;
import java.io.DataInputStream;
import java.io.DataOutput;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;

/**
 * Replies and signals as bytes, so that nothing but bytes is stored or sent to a node. What goes to
 * a member and what it answers begins with the number of the form, so that members and nodes of
 * different versions refuse each other instead of taking one thing for another.
 */
public final class Wire {

  private static final byte FORM = 2;

  private Wire() {}

  /** Begins a message. */
  static void form(DataOutput out) throws IOException {
    out.writeByte(FORM);
  }

  /** Checks that a message is of this version's form. */
  static void form(DataInput in) throws IOException {
    byte form = in.readByte();
    if (form != FORM) {
      throw new IOException(
          "a message has form " + form + ", known is " + FORM + ": another version of Pawl");
    }
  }

  /** Something that writes a value. */
  @FunctionalInterface
  interface Writing {
    void to(DataOutput out) throws IOException;
  }

  /** Something that reads a value. */
  @FunctionalInterface
  public interface Reading<T> {
    T from(DataInput in) throws IOException;
  }

  static byte[] bytes(Writing writing) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(128);
    try {
      DataOutputStream out = new DataOutputStream(bytes);
      form(out);
      writing.to(out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  /** Reads a value from bytes. */
  public static <T> T read(byte[] bytes, Reading<T> reading) {
    try {
      DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
      form(in);
      return reading.from(in);
    } catch (EOFException e) {
      throw new IllegalArgumentException("a value of " + bytes.length + " bytes is cut", e);
    } catch (IOException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  static void text(DataOutput out, String text) throws IOException {
    block(out, text.getBytes(StandardCharsets.UTF_8));
  }

  static String text(DataInput in) throws IOException {
    return new String(block(in), StandardCharsets.UTF_8);
  }

  static void block(DataOutput out, byte[] bytes) throws IOException {
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  /** Reads bytes that were written with their length. */
  public static byte[] block(DataInput in) throws IOException {
    byte[] bytes = new byte[in.readInt()];
    in.readFully(bytes);
    return bytes;
  }

  static void claim(DataOutput out, ClaimId claim) throws IOException {
    text(out, claim.node());
    out.writeLong(claim.counter());
  }

  static ClaimId claim(DataInput in) throws IOException {
    return new ClaimId(text(in), in.readLong());
  }

  static void optional(DataOutput out, OptionalLong value) throws IOException {
    out.writeBoolean(value.isPresent());
    if (value.isPresent()) {
      out.writeLong(value.getAsLong());
    }
  }

  static OptionalLong optional(DataInput in) throws IOException {
    return in.readBoolean() ? OptionalLong.of(in.readLong()) : OptionalLong.empty();
  }

  private static void grant(DataOutput out, Grant grant) throws IOException {
    claim(out, grant.claim());
    out.writeLong(grant.token());
    out.writeInt(grant.span());
    out.writeLong(grant.untilMicros());
    out.writeLong(grant.nowMicros());
  }

  private static Grant grant(DataInput in) throws IOException {
    return new Grant(claim(in), in.readLong(), in.readInt(), in.readLong(), in.readLong());
  }

  private static void contention(DataOutput out, Contention contention) throws IOException {
    text(out, contention.holder());
    out.writeLong(contention.sinceMicros());
    out.writeLong(contention.untilMicros());
    out.writeInt(contention.holders());
    out.writeInt(contention.ahead());
    out.writeLong(contention.nowMicros());
  }

  private static Contention contention(DataInput in) throws IOException {
    return new Contention(
        text(in), in.readLong(), in.readLong(), in.readInt(), in.readInt(), in.readLong());
  }

  static void reply(DataOutput out, Object reply) throws IOException {
    if (reply instanceof AcquireReply.Granted granted) {
      out.writeByte('G');
      grant(out, granted.grant());
    } else if (reply instanceof AcquireReply.Queued queued) {
      out.writeByte('Q');
      contention(out, queued.contention());
    } else if (reply instanceof AcquireReply.Busy busy) {
      out.writeByte('B');
      contention(out, busy.contention());
    } else if (reply instanceof AcquireReply.Done done) {
      out.writeByte('D');
      out.writeLong(done.mark());
    } else if (reply instanceof AcquireReply.Ended) {
      out.writeByte('E');
    } else if (reply instanceof RenewReply.Held held) {
      out.writeByte('H');
      grant(out, held.grant());
    } else if (reply instanceof RenewReply.Waiting waiting) {
      out.writeByte('W');
      contention(out, waiting.contention());
    } else if (reply instanceof RenewReply.Gone) {
      out.writeByte('X');
    } else if (reply instanceof ReleaseReply released) {
      out.writeByte('r');
      text(out, released.name());
    } else if (reply instanceof CancelReply cancelled) {
      out.writeByte('c');
      text(out, cancelled.name());
    } else if (reply instanceof ResetReply reset) {
      out.writeByte('s');
      text(out, reset.name());
    } else if (reply instanceof EvictReply.Evicted evicted) {
      out.writeByte('V');
      claim(out, evicted.claim());
      text(out, evicted.label());
    } else {
      out.writeByte('v');
    }
  }

  /** Reads a reply. */
  public static Object reply(DataInput in) throws IOException {
    byte kind = in.readByte();
    return switch (kind) {
      case 'G' -> new AcquireReply.Granted(grant(in));
      case 'Q' -> new AcquireReply.Queued(contention(in));
      case 'B' -> new AcquireReply.Busy(contention(in));
      case 'D' -> new AcquireReply.Done(in.readLong());
      case 'E' -> new AcquireReply.Ended();
      case 'H' -> new RenewReply.Held(grant(in));
      case 'W' -> new RenewReply.Waiting(contention(in));
      case 'X' -> new RenewReply.Gone();
      case 'r' -> ReleaseReply.valueOf(text(in));
      case 'c' -> CancelReply.valueOf(text(in));
      case 's' -> ResetReply.valueOf(text(in));
      case 'V' -> new EvictReply.Evicted(claim(in), text(in));
      case 'v' -> new EvictReply.Changed();
      default -> throw new IOException("a reply of kind " + kind);
    };
  }

  static byte[] signal(Signal signal) {
    return bytes(
        out -> {
          if (signal instanceof Signal.Granted granted) {
            out.writeByte('G');
            text(out, granted.name());
            grant(out, granted.grant());
          } else if (signal instanceof Signal.Done done) {
            out.writeByte('D');
            text(out, done.name());
            claim(out, done.claim());
            out.writeLong(done.mark());
          } else if (signal instanceof Signal.Summoned summoned) {
            out.writeByte('S');
            text(out, summoned.name());
            claim(out, summoned.claim());
          } else if (signal instanceof Signal.Evicted evicted) {
            out.writeByte('V');
            text(out, evicted.name());
            claim(out, evicted.claim());
          } else {
            throw new IOException("no claim is told of " + signal);
          }
        });
  }

  /** Reads a signal. */
  public static Signal signal(byte[] bytes) {
    return read(
        bytes,
        in -> {
          byte kind = in.readByte();
          return switch (kind) {
            case 'G' -> new Signal.Granted(text(in), grant(in));
            case 'D' -> new Signal.Done(text(in), claim(in), in.readLong());
            case 'S' -> new Signal.Summoned(text(in), claim(in));
            case 'V' -> new Signal.Evicted(text(in), claim(in));
            default -> throw new IOException("a signal of kind " + kind);
          };
        });
  }
}
