package dev.pawl.machine;

import dev.pawl.machine.LockState.Ended;
import dev.pawl.machine.LockState.Holder;
import dev.pawl.machine.LockState.Waiter;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * The written form of a {@link LockState}, for stores that keep it as bytes: a number for the form,
 * then the fields in order; numbers in groups of seven bits, texts as their length and UTF-8.
 */
public final class StateCodec {

  private static final byte FORM = 2;

  /** The form before a mark said how long it is kept. */
  private static final byte OLD_FORM = 1;

  private StateCodec() {}

  /** Writes a state. */
  public static byte[] encode(LockState state) {
    Output out = new Output();
    out.raw(FORM);
    out.number(state.lastToken());
    out.optional(state.mark());
    out.number(state.markUntilMicros());
    out.number(state.holders().size());
    for (Holder holder : state.holders()) {
      out.claim(holder.claim());
      out.number(holder.permits());
      out.number(holder.token());
      out.number(holder.span());
      out.number(holder.sinceMicros());
      out.number(holder.untilMicros());
      out.text(holder.label());
      out.text(holder.actor());
    }
    out.number(state.queue().size());
    for (Waiter waiter : state.queue()) {
      out.claim(waiter.claim());
      out.number(waiter.permits());
      out.number(waiter.capacity());
      out.number(waiter.leaseMicros());
      out.number(waiter.span());
      out.optional(waiter.mark());
      out.number(waiter.fair() ? 1 : 0);
      out.number(waiter.sinceMicros());
      out.number(waiter.aliveUntilMicros());
      out.text(waiter.label());
      out.text(waiter.actor());
    }
    out.number(state.ended().size());
    for (Ended ended : state.ended()) {
      out.claim(ended.claim());
      out.number(ended.untilMicros());
    }
    return out.bytes();
  }

  /**
   * Reads a state.
   *
   * @throws IllegalArgumentException if the bytes are none that {@link #encode} has written
   */
  public static LockState decode(byte[] bytes) {
    try {
      Input in = new Input(ByteBuffer.wrap(bytes));
      byte form = in.form();
      long lastToken = in.number();
      OptionalLong mark = in.optional();
      long usually = mark.isPresent() ? lastToken + Command.MIN_KEEP_MICROS : 0;
      LockState state =
          new LockState(
              lastToken,
              mark,
              form == OLD_FORM ? usually : in.number(),
              in.list(StateCodec::holder),
              in.list(StateCodec::waiter),
              in.list(StateCodec::ended));
      if (in.bytes.hasRemaining()) {
        throw new IllegalArgumentException(in.bytes.remaining() + " bytes too many");
      }
      return state;
    } catch (BufferUnderflowException e) {
      throw new IllegalArgumentException("a lock's state of " + bytes.length + " bytes is cut", e);
    }
  }

  private static Holder holder(Input in) {
    return new Holder(
        in.claim(),
        in.integer(),
        in.number(),
        in.integer(),
        in.number(),
        in.number(),
        in.text(),
        in.text());
  }

  private static Waiter waiter(Input in) {
    return new Waiter(
        in.claim(),
        in.integer(),
        in.integer(),
        in.number(),
        in.integer(),
        in.optional(),
        in.number() != 0,
        in.number(),
        in.number(),
        in.text(),
        in.text());
  }

  private static Ended ended(Input in) {
    return new Ended(in.claim(), in.number());
  }

  private static final class Output {
    private byte[] bytes = new byte[256];
    private int length;

    void raw(int value) {
      if (length == bytes.length) {
        bytes = Arrays.copyOf(bytes, 2 * length);
      }
      bytes[length++] = (byte) value;
    }

    void number(long value) {
      long rest = value;
      while ((rest & ~0x7FL) != 0) {
        raw((int) (rest & 0x7F) | 0x80);
        rest >>>= 7;
      }
      raw((int) rest);
    }

    void optional(OptionalLong value) {
      raw(value.isPresent() ? 1 : 0);
      value.ifPresent(this::number);
    }

    void text(String value) {
      byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
      number(utf8.length);
      for (byte each : utf8) {
        raw(each);
      }
    }

    void claim(ClaimId claim) {
      text(claim.node());
      number(claim.counter());
    }

    byte[] bytes() {
      return Arrays.copyOf(bytes, length);
    }
  }

  private record Input(ByteBuffer bytes) {

    byte form() {
      byte form = bytes.get();
      if (form != FORM && form != OLD_FORM) {
        throw new IllegalArgumentException(
            "a lock's state has form " + form + ", known is " + FORM + ": is a newer Pawl in use?");
      }
      return form;
    }

    long number() {
      long value = 0;
      for (int shift = 0; shift < 64; shift += 7) {
        byte next = bytes.get();
        value |= (next & 0x7FL) << shift;
        if (next >= 0) {
          return value;
        }
      }
      throw new IllegalArgumentException("a number of more than 64 bits");
    }

    int integer() {
      return Math.toIntExact(number());
    }

    OptionalLong optional() {
      return bytes.get() == 0 ? OptionalLong.empty() : OptionalLong.of(number());
    }

    String text() {
      int length = integer();
      if (length < 0 || length > bytes.remaining()) {
        throw new BufferUnderflowException();
      }
      byte[] utf8 = new byte[length];
      bytes.get(utf8);
      return new String(utf8, StandardCharsets.UTF_8);
    }

    ClaimId claim() {
      return new ClaimId(text(), number());
    }

    <T> List<T> list(Function<Input, T> element) {
      int size = integer();
      List<T> list = new ArrayList<>(Math.min(Math.max(size, 0), 64));
      for (int i = 0; i < size; i++) {
        list.add(element.apply(this));
      }
      return list;
    }
  }
}
