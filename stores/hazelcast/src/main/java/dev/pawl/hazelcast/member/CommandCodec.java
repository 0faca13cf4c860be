package dev.pawl.hazelcast.member;

import dev.pawl.machine.LockMachine;
import dev.pawl.machine.LockState;
import dev.pawl.machine.Step;
import dev.pawl.spi.Command;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/** Commands on their way to the member that has the name, and what they do there. */
public final class CommandCodec {

  private CommandCodec() {}

  static Step<?> apply(LockState state, Command command, long now) {
    if (command instanceof Command.Acquire acquire) {
      return LockMachine.acquire(state, acquire, now);
    } else if (command instanceof Command.Renew renew) {
      return LockMachine.renew(state, renew, now);
    } else if (command instanceof Command.Release release) {
      return LockMachine.release(state, release, now);
    } else if (command instanceof Command.Yield yield) {
      return LockMachine.yieldGrant(state, yield, now);
    } else if (command instanceof Command.Cancel cancel) {
      return LockMachine.cancel(state, cancel, now);
    } else if (command instanceof Command.Evict evict) {
      return LockMachine.evict(state, evict, now);
    }
    return LockMachine.reset(state, (Command.Reset) command, now);
  }

  /** Writes a command without its name, which is the key of the entry. */
  static void write(DataOutput out, Command command) throws IOException {
    if (command instanceof Command.Acquire acquire) {
      out.writeByte('A');
      acquire(out, acquire);
    } else if (command instanceof Command.Renew renew) {
      out.writeByte('N');
      Wire.claim(out, renew.claim());
      out.writeInt(renew.permits());
      out.writeLong(renew.leaseMicros());
      Wire.text(out, renew.actor());
    } else if (command instanceof Command.Release release) {
      out.writeByte('R');
      release(out, release);
    } else if (command instanceof Command.Yield yield) {
      out.writeByte('Y');
      release(out, yield.release());
      acquire(out, yield.next());
    } else if (command instanceof Command.Cancel cancel) {
      out.writeByte('C');
      Wire.claim(out, cancel.claim());
      out.writeBoolean(cancel.late());
    } else if (command instanceof Command.Evict evict) {
      out.writeByte('V');
      out.writeLong(evict.token());
    } else {
      Command.Reset reset = (Command.Reset) command;
      out.writeByte('S');
      out.writeLong(reset.mark());
      Wire.optional(out, reset.to());
    }
  }

  static Command read(DataInput in, String name) throws IOException {
    byte kind = in.readByte();
    return switch (kind) {
      case 'A' -> acquire(in, name);
      case 'N' ->
          new Command.Renew(name, Wire.claim(in), in.readInt(), in.readLong(), Wire.text(in));
      case 'R' -> release(in, name);
      case 'Y' -> new Command.Yield(release(in, name), acquire(in, name));
      case 'C' -> new Command.Cancel(name, Wire.claim(in), in.readBoolean());
      case 'V' -> new Command.Evict(name, in.readLong());
      case 'S' -> new Command.Reset(name, in.readLong(), Wire.optional(in));
      default -> throw new IOException("a command of kind " + kind + ": is a newer Pawl in use?");
    };
  }

  private static void acquire(DataOutput out, Command.Acquire acquire) throws IOException {
    Wire.claim(out, acquire.claim());
    out.writeInt(acquire.permits());
    out.writeInt(acquire.capacity());
    out.writeLong(acquire.leaseMicros());
    out.writeInt(acquire.span());
    Wire.optional(out, acquire.mark());
    out.writeBoolean(acquire.queue());
    out.writeBoolean(acquire.fair());
    Wire.text(out, acquire.label());
    Wire.text(out, acquire.actor());
  }

  private static Command.Acquire acquire(DataInput in, String name) throws IOException {
    return new Command.Acquire(
        name,
        Wire.claim(in),
        in.readInt(),
        in.readInt(),
        in.readLong(),
        in.readInt(),
        Wire.optional(in),
        in.readBoolean(),
        in.readBoolean(),
        Wire.text(in),
        Wire.text(in));
  }

  private static void release(DataOutput out, Command.Release release) throws IOException {
    Wire.claim(out, release.claim());
    out.writeLong(release.usedToken());
    Wire.optional(out, release.mark());
    out.writeLong(release.keepMicros());
    out.writeBoolean(release.late());
  }

  private static Command.Release release(DataInput in, String name) throws IOException {
    return new Command.Release(
        name, Wire.claim(in), in.readLong(), Wire.optional(in), in.readLong(), in.readBoolean());
  }
}
