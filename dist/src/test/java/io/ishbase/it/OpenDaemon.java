package io.ishbase.it;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A server that has no key of the region servers' user, and asks whoever calls to do without
 * Kerberos. Keeps what it was sent.
 */
final class OpenDaemon implements Closeable {
  /** What HBase's servers say in place of a token's length if they want no login. */
  private static final int SWITCH_TO_SIMPLE_AUTH = -88;

  private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final ByteArrayOutputStream heard = new ByteArrayOutputStream();
  private final AtomicInteger left = new AtomicInteger();
  private final Thread listener = new Thread(this::listen, "open-daemon");

  OpenDaemon() throws IOException {
    listener.setDaemon(true);
    listener.start();
  }

  int port() {
    return server.getLocalPort();
  }

  /** Callers that have hung up. */
  int left() {
    return left.get();
  }

  /** All that callers said. */
  String heard() {
    synchronized (heard) {
      return heard.toString(StandardCharsets.ISO_8859_1);
    }
  }

  private void listen() {
    while (!server.isClosed()) {
      try (Socket socket = server.accept()) {
        InputStream in = socket.getInputStream();
        byte[] part = new byte[4096];
        int length = in.read(part);
        keep(part, length);
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        out.writeInt(0);
        out.writeInt(SWITCH_TO_SIMPLE_AUTH);
        out.flush();
        while (length >= 0) {
          length = in.read(part);
          keep(part, length);
        }
        left.incrementAndGet();
      } catch (IOException e) {
        // The caller hung up, or the test is over.
        left.incrementAndGet();
      }
    }
  }

  private void keep(byte[] part, int length) {
    synchronized (heard) {
      heard.write(part, 0, Math.max(0, length));
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
