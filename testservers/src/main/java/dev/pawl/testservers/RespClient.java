package dev.pawl.testservers;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A client of Redis in a few lines, so that tests look at a server past the drivers. */
public final class RespClient implements AutoCloseable {

  /** A disk that is slow holds a server up, and nothing is wrong with that. */
  private static final Duration USUAL_PATIENCE = Duration.ofSeconds(60);

  private final Socket socket;
  private final InputStream in;

  /** Connects to a port of this machine. */
  public RespClient(int port) {
    this(port, USUAL_PATIENCE);
  }

  /** Connects to a port of this machine, where nobody may answer. */
  RespClient(int port, Duration patience) {
    int millis = (int) patience.toMillis();
    try {
      socket = new Socket();
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), millis);
      socket.setSoTimeout(millis);
      in = new BufferedInputStream(socket.getInputStream());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Sends one command and returns its answer: a string, a long, a list or null.
   *
   * @throws IllegalStateException with the server's words if it is an error
   */
  public @Nullable Object call(String... words) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(("*" + words.length + "\r\n").getBytes(StandardCharsets.UTF_8));
    for (String word : words) {
      byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
      out.writeBytes(("$" + bytes.length + "\r\n").getBytes(StandardCharsets.UTF_8));
      out.writeBytes(bytes);
      out.writeBytes("\r\n".getBytes(StandardCharsets.UTF_8));
    }
    try {
      socket.getOutputStream().write(out.toByteArray());
      return read();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private @Nullable Object read() throws IOException {
    String line = line();
    String rest = line.substring(1);
    return switch (line.charAt(0)) {
      case '+' -> rest;
      case '-' -> throw new IllegalStateException(rest);
      case ':' -> Long.parseLong(rest);
      case '$' -> bulk(Integer.parseInt(rest));
      case '*' -> {
        List<@Nullable Object> list = new ArrayList<>();
        for (int left = Integer.parseInt(rest); left > 0; left--) {
          list.add(read());
        }
        yield list;
      }
      default -> throw new IOException("not RESP: " + line);
    };
  }

  private @Nullable String bulk(int length) throws IOException {
    if (length < 0) {
      return null;
    }
    String text = new String(in.readNBytes(length), StandardCharsets.UTF_8);
    in.readNBytes(2);
    return text;
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\r'; c = in.read()) {
      if (c < 0) {
        throw new IOException("the server closed the connection");
      }
      line.append((char) c);
    }
    if (in.read() != '\n') {
      throw new IOException("not RESP");
    }
    return line.toString();
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
