package io.ishbase.it;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.shaded.protobuf.generated.RPCProtos.ResponseHeader;

/**
 * A TCP forwarder that counts what it forwards and can treat it as a bad network would, or the
 * answers of HBase's RPC as a bad server would.
 */
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
    CUT,
    /** Now and then an answer comes {@link #LATE_MILLIS} later than those behind it. */
    LATE,
    /** Each answer comes twice. */
    TWICE,
    /** Answers that are under way together come last first. */
    REORDERED,
    /** Each of them goes to the call of another. */
    MIXED_UP;

    /** What happens to answers, one by one. */
    private static final Set<Mode> OF_ANSWERS = EnumSet.of(LATE, TWICE, REORDERED, MIXED_UP);
  }

  private static final int LATE_MILLIS = 150;

  /** In which one answer of so many is late. */
  private static final int LATE_OF = 16;

  /** In which answers are taken together, and how many at most. */
  private static final long TOGETHER_NANOS = 2_000_000;

  private static final int TOGETHER = 8;

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
    targetPort = freePort();
    daemonConf.setInt("ishbase.issn.port", targetPort);
    daemonConf.setInt("ishbase.issn.advertised.port", port());
  }

  /** None that the system would give to somebody else before the daemon listens there. */
  private static int freePort() {
    Random random = new Random();
    while (true) {
      int port = 10_000 + random.nextInt(10_000);
      try (ServerSocket free = new ServerSocket(port)) {
        return free.getLocalPort();
      } catch (IOException e) {
        // Somebody has it.
      }
    }
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
        start("to-server", () -> forward(client, server));
        start("to-client", () -> answer(server, client));
      } catch (IOException e) {
        // The listener is closed, or the target does not listen: the client sees its end.
      }
    }
  }

  private void forward(Socket client, Socket server) {
    byte[] buffer = new byte[1 << 16];
    try (client;
        server) {
      for (int n = client.getInputStream().read(buffer);
          n >= 0;
          n = client.getInputStream().read(buffer)) {
        bytesToServer.addAndGet(n);
        server.getOutputStream().write(buffer, 0, n);
      }
    } catch (IOException e) {
      // The other end is gone.
    } finally {
      sockets.remove(client);
      sockets.remove(server);
    }
  }

  private void answer(Socket server, Socket client) {
    // Held while an answer goes through in pieces.
    ReentrantLock lock = new ReentrantLock();
    try (server;
        client) {
      Answers answers = new Answers(server);
      OutputStream out = client.getOutputStream();
      for (byte[] piece = answers.next(mode); piece.length > 0; piece = answers.next(mode)) {
        if (bytesToClient.addAndGet(piece.length) > nextAt) {
          set(next);
        }
        if (!answers.isWhole() && !lock.isHeldByCurrentThread()) {
          lock.lock();
        }
        Mode now = mode;
        switch (now) {
          case PASS -> write(out, piece);
          case SLOW -> {
            LockSupport.parkNanos(piece.length * 1_000_000_000L / SLOW_BYTES_PER_SECOND);
            write(out, piece);
          }
          case STALL -> awaitOtherMode();
          case DROP, CUT -> {
            return;
          }
          case GARBLE -> {
            piece[piece.length / 2] ^= 0x10;
            write(out, piece);
          }
          case INFLATE, TWICE -> {
            write(out, piece);
            write(out, piece);
          }
          case TRUNCATE -> {
            write(out, Arrays.copyOf(piece, piece.length / 2));
            return;
          }
          case LATE -> {
            if (answers.isWhole() && answers.count() % LATE_OF == 0) {
              byte[] late = piece;
              CompletableFuture.delayedExecutor(LATE_MILLIS, TimeUnit.MILLISECONDS)
                  .execute(() -> writeBetween(lock, out, late));
            } else {
              write(out, piece);
            }
          }
          case REORDERED, MIXED_UP -> {
            List<byte[]> together = answers.isWhole() ? answers.with(piece) : List.of(piece);
            together.stream().skip(1).forEach(answer -> bytesToClient.addAndGet(answer.length));
            for (byte[] one : now == Mode.MIXED_UP ? mixedUp(together) : reversed(together)) {
              write(out, one);
            }
          }
        }
        if (answers.isAtEnd() && lock.isHeldByCurrentThread()) {
          lock.unlock();
        }
      }
    } catch (IOException e) {
      // The other end is gone.
    } finally {
      if (lock.isHeldByCurrentThread()) {
        lock.unlock();
      }
      sockets.remove(server);
      sockets.remove(client);
    }
  }

  private static void write(OutputStream out, byte[] piece) throws IOException {
    synchronized (out) {
      out.write(piece);
    }
  }

  /** Not amid an answer that goes through in pieces. */
  private static void writeBetween(ReentrantLock lock, OutputStream out, byte[] answer) {
    lock.lock();
    try {
      write(out, answer);
    } catch (IOException e) {
      // The other end is gone.
    } finally {
      lock.unlock();
    }
  }

  private static List<byte[]> reversed(List<byte[]> answers) {
    List<byte[]> reversed = new ArrayList<>(answers);
    Collections.reverse(reversed);
    return reversed;
  }

  private static List<byte[]> mixedUp(List<byte[]> answers) throws IOException {
    List<byte[]> mixedUp = new ArrayList<>();
    for (int i = 0; i < answers.size(); i++) {
      byte[] other = answers.get((i + 1) % answers.size());
      mixedUp.add(Answers.toCallOf(other, answers.get(i)));
    }
    return mixedUp;
  }

  /**
   * What a server of HBase's RPC sends: frames, each a length and an answer. A piece of it is an
   * answer in modes of answers, and else what has come of one.
   */
  private static final class Answers {
    private static final int LENGTH_BYTES = Integer.BYTES;
    private static final int MAX_PIECE = 1 << 16;

    private final DataInputStream in;

    /** Of the answer whose first piece has been read. */
    private int left;

    private boolean isWhole;
    private int count;

    Answers(Socket server) throws IOException {
      in = new DataInputStream(new BufferedInputStream(server.getInputStream(), MAX_PIECE));
    }

    /** Whether the last piece is a whole answer. */
    boolean isWhole() {
      return isWhole;
    }

    /** Whether the last piece ends an answer. */
    boolean isAtEnd() {
      return left == 0;
    }

    /** How many there have been. */
    int count() {
      return count;
    }

    byte[] next(Mode mode) throws IOException {
      byte[] length = {};
      if (left == 0) {
        length = in.readNBytes(LENGTH_BYTES);
        if (length.length < LENGTH_BYTES) {
          return length;
        }
        left = ByteBuffer.wrap(length).getInt();
        count++;
      }
      int size =
          Mode.OF_ANSWERS.contains(mode)
              ? left
              : Math.min(left, Math.min(MAX_PIECE, Math.max(1, in.available())));
      isWhole = length.length > 0 && size == left;
      byte[] piece = Arrays.copyOf(length, length.length + size);
      in.readFully(piece, length.length, size);
      left -= size;
      return piece;
    }

    /** {@code first}, and the answers that come within a moment. */
    List<byte[]> with(byte[] first) throws IOException {
      List<byte[]> together = new ArrayList<>(List.of(first));
      LockSupport.parkNanos(TOGETHER_NANOS);
      while (together.size() < TOGETHER && in.available() >= LENGTH_BYTES) {
        together.add(next(Mode.REORDERED));
      }
      return together;
    }

    /** The answer {@code said} as if it were that to the call of {@code other}. */
    static byte[] toCallOf(byte[] other, byte[] said) throws IOException {
      ByteArrayInputStream rest = new ByteArrayInputStream(said);
      rest.skipNBytes(LENGTH_BYTES);
      ResponseHeader header = ResponseHeader.parseDelimitedFrom(rest);
      ByteArrayOutputStream answer = new ByteArrayOutputStream();
      header.toBuilder().setCallId(callId(other)).build().writeDelimitedTo(answer);
      rest.transferTo(answer);
      return ByteBuffer.allocate(LENGTH_BYTES + answer.size())
          .putInt(answer.size())
          .put(answer.toByteArray())
          .array();
    }

    private static int callId(byte[] answer) throws IOException {
      ByteArrayInputStream in = new ByteArrayInputStream(answer);
      in.skipNBytes(LENGTH_BYTES);
      return ResponseHeader.parseDelimitedFrom(in).getCallId();
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
