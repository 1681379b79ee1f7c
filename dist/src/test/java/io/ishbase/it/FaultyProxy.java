package io.ishbase.it;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;

/** A TCP forwarder that counts what it forwards and can treat it as a bad network would. */
public final class FaultyProxy implements Closeable {
  /** What happens to bytes that go to the client. */
  public enum Mode {
    PASS,
    /** Bytes go through at {@link #SLOW_BYTES_PER_SECOND}. */
    SLOW,
    /** Nothing goes through any more, connections stay. */
    STALL,
    /** Connections are reset as soon as anything is to go through. */
    DROP,
    /** A bit is flipped here and there. */
    GARBLE,
    /** More comes than was sent. */
    INFLATE,
    /** Some bytes go through, then the connection ends. */
    TRUNCATE,
    /** There are no connections, and no new ones are made. */
    CUT
  }

  private static final long SLOW_BYTES_PER_SECOND = 4_000_000;

  private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private volatile int targetPort;
  private final AtomicLong bytesToClient = new AtomicLong();
  private final AtomicLong bytesToServer = new AtomicLong();
  private volatile Mode mode = Mode.PASS;
  private volatile Mode next = Mode.PASS;
  private volatile long nextAt = Long.MAX_VALUE;

  FaultyProxy() throws IOException {
    start("accept", this::accept);
  }

  int port() {
    return listener.getLocalPort();
  }

  void forwardTo(int port) {
    targetPort = port;
  }

  /** Makes a daemon that is to be started listen behind it. */
  void standBefore(Configuration daemonConf) {
    try (ServerSocket free = new ServerSocket(0)) {
      targetPort = free.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    daemonConf.setInt("ishbase.issn.port", targetPort);
    daemonConf.setInt("ishbase.issn.advertised.port", port());
  }

  void set(Mode newMode) {
    nextAt = Long.MAX_VALUE;
    mode = newMode;
    if (newMode == Mode.CUT) {
      sockets.forEach(FaultyProxy::close);
    }
  }

  /** Lets so many bytes through to clients first. */
  void setAfter(long bytes, Mode newMode) {
    next = newMode;
    nextAt = bytesToClient.get() + bytes;
  }

  boolean hasStalled() {
    return mode == Mode.STALL;
  }

  /** Bytes that servers sent, without the headers of TCP. */
  long bytesToClient() {
    return bytesToClient.get();
  }

  /** Bytes that clients sent, without the headers of TCP. */
  long bytesToServer() {
    return bytesToServer.get();
  }

  /** Connections that are open on the client's side. */
  int connections() {
    return sockets.size() / 2;
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        if (mode == Mode.CUT) {
          close(client);
          continue;
        }
        Socket server = new Socket(InetAddress.getLoopbackAddress(), targetPort);
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        sockets.add(client);
        sockets.add(server);
        start("to-server", () -> forward(client, server, false));
        start("to-client", () -> forward(server, client, true));
      } catch (IOException e) {
        // The listener is closed, or the target does not listen: the client sees its end.
      }
    }
  }

  private void forward(Socket from, Socket to, boolean faulty) {
    byte[] buffer = new byte[1 << 16];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        if (!faulty) {
          bytesToServer.addAndGet(n);
          out.write(buffer, 0, n);
          continue;
        }
        if (bytesToClient.addAndGet(n) > nextAt) {
          set(next);
        }
        switch (mode) {
          case PASS -> out.write(buffer, 0, n);
          case SLOW -> {
            LockSupport.parkNanos(n * 1_000_000_000L / SLOW_BYTES_PER_SECOND);
            out.write(buffer, 0, n);
          }
          case STALL -> awaitOtherMode();
          case DROP, CUT -> {
            return;
          }
          case GARBLE -> {
            buffer[n / 2] ^= 0x10;
            out.write(buffer, 0, n);
          }
          case INFLATE -> {
            out.write(buffer, 0, n);
            out.write(buffer, 0, n);
          }
          case TRUNCATE -> {
            out.write(buffer, 0, n / 2);
            return;
          }
        }
      }
    } catch (IOException e) {
      // The other end is gone.
    } finally {
      sockets.remove(from);
      sockets.remove(to);
    }
  }

  // What stalled is lost: a network that comes back does not deliver half an answer either.
  private synchronized void awaitOtherMode() throws IOException {
    while (mode == Mode.STALL && !listener.isClosed()) {
      try {
        wait(50);
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
    }
    throw new IOException("Stalled");
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // It is closed for all that matters here.
    }
  }

  private static void start(String name, Runnable body) {
    Thread thread = new Thread(body, "faulty-proxy-" + name);
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    listener.close();
    sockets.forEach(FaultyProxy::close);
  }
}
