package io.ishbase.dist.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** A process that sends or takes a number of bytes: {@code send HOST PORT BYTES}, {@code take}. */
public final class Bulk {
  private Bulk() {}

  /** Takes one connection after the other and answers each with what it got, once that ended. */
  public static void main(String[] arguments) throws IOException {
    if (arguments[0].equals("send")) {
      send(arguments[1], Integer.parseInt(arguments[2]), Long.parseLong(arguments[3]));
      return;
    }
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getByName("0.0.0.0"))) {
      System.out.println(server.getLocalPort());
      while (true) {
        try (Socket socket = server.accept()) {
          take(socket);
        }
      }
    }
  }

  private static void take(Socket socket) throws IOException {
    InputStream in = socket.getInputStream();
    byte[] buffer = new byte[1 << 16];
    while (in.read(buffer) >= 0) {
      // Only their number matters, and the kernel counts.
    }
    socket.getOutputStream().write(1);
  }

  /** Sends {@code bytes} bytes and returns when the other side has all. */
  static void send(String host, int port, long bytes) throws IOException {
    try (Socket socket = new Socket(host, port)) {
      OutputStream out = socket.getOutputStream();
      byte[] buffer = new byte[1 << 16];
      for (long left = bytes; left > 0; left -= buffer.length) {
        out.write(buffer, 0, (int) Math.min(left, buffer.length));
      }
      socket.shutdownOutput();
      if (socket.getInputStream().read() != 1) {
        throw new IOException("the other side did not take all");
      }
    }
  }
}
