package io.ishbase.dist.cluster;

import io.ishbase.cluster.NetworkRig.Traffic;
import java.io.Closeable;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Bytes that a set of local ports has sent (in) and received (out), from the kernel's count of each
 * TCP connection; what the kernel sent again counts once. It looks a few times a second from when
 * it is first asked: what a connection sends between the last look and its end is missed.
 */
final class ConnectionBytes implements Closeable {
  private static final long LOOK_EVERY_MILLIS = 250;
  private static final Pattern SENT = Pattern.compile("bytes_sent:(\\d+)");
  private static final Pattern SENT_AGAIN = Pattern.compile("bytes_retrans:(\\d+)");
  private static final Pattern RECEIVED = Pattern.compile("bytes_received:(\\d+)");

  private final String[] command;
  private final Map<String, Traffic> open = new HashMap<>();
  private final ScheduledExecutorService looker =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "connection-bytes");
            thread.setDaemon(true);
            return thread;
          });
  private Traffic total = new Traffic(0, 0);
  private boolean looks;

  ConnectionBytes(List<Integer> ports) {
    String filter =
        ports.stream().map(port -> "sport = :" + port).collect(Collectors.joining(" or "));
    command = new String[] {"ss", "-tinHO", "state", "established", "( " + filter + " )"};
  }

  /** Bytes of the connections that it has seen, from their begin. */
  synchronized Traffic total() {
    // Most commands never ask, and each look is a process.
    if (!looks) {
      looks = true;
      looker.scheduleWithFixedDelay(
          this::look, LOOK_EVERY_MILLIS, LOOK_EVERY_MILLIS, TimeUnit.MILLISECONDS);
    }
    look();
    return total;
  }

  private synchronized void look() {
    Map<String, Traffic> now = new HashMap<>();
    try {
      for (String line : Commands.run(command).split("\n")) {
        String[] words = line.strip().split("\\s+");
        if (words.length > 3) {
          // Local and remote address stand behind the two queue lengths.
          long sent = count(SENT, line) - count(SENT_AGAIN, line);
          now.put(words[2] + " " + words[3], new Traffic(sent, count(RECEIVED, line)));
        }
      }
    } catch (IOException e) {
      return; // Without `ss` the count stays at zero.
    }
    now.forEach(
        (connection, bytes) -> {
          Traffic before = open.get(connection);
          // Fewer bytes than before: another connection between the same ports.
          boolean same = before != null && bytes.in() >= before.in() && bytes.out() >= before.out();
          total = total.plus(same ? bytes.since(before) : bytes);
        });
    open.clear();
    open.putAll(now);
  }

  private static long count(Pattern pattern, String line) {
    Matcher matcher = pattern.matcher(line);
    return matcher.find() ? Long.parseLong(matcher.group(1)) : 0; // ss leaves zeros out.
  }

  @Override
  public void close() {
    looker.shutdownNow();
  }
}
