package io.ishbase.dist.cluster;

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
 * Bytes that a set of local ports has sent, from the kernel's count of each TCP connection. It
 * looks a few times a second: what a connection sends between the last look and its end is missed.
 */
final class ConnectionBytes implements Closeable {
  private static final long LOOK_EVERY_MILLIS = 250;
  private static final Pattern SENT = Pattern.compile("bytes_sent:(\\d+)");

  private final String[] command;
  private final Map<String, Long> openBytes = new HashMap<>();
  private final ScheduledExecutorService looker =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "connection-bytes");
            thread.setDaemon(true);
            return thread;
          });
  private long totalBytes;

  ConnectionBytes(List<Integer> ports) {
    String filter =
        ports.stream().map(port -> "sport = :" + port).collect(Collectors.joining(" or "));
    command = new String[] {"ss", "-tinHO", "state", "established", "( " + filter + " )"};
    looker.scheduleWithFixedDelay(
        this::look, LOOK_EVERY_MILLIS, LOOK_EVERY_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Bytes sent since the first look. */
  synchronized long total() {
    look();
    return totalBytes;
  }

  private synchronized void look() {
    Map<String, Long> now = new HashMap<>();
    try {
      for (String line : Commands.run(command).split("\n")) {
        Matcher sent = SENT.matcher(line);
        String[] words = line.strip().split("\\s+");
        if (sent.find() && words.length > 3) {
          // Local and remote address stand behind the two queue lengths.
          now.put(words[2] + " " + words[3], Long.parseLong(sent.group(1)));
        }
      }
    } catch (IOException e) {
      return; // Without `ss` the count stays at zero.
    }
    now.forEach(
        (connection, bytes) -> {
          long before = openBytes.getOrDefault(connection, 0L);
          totalBytes += bytes >= before ? bytes - before : bytes;
        });
    openBytes.clear();
    openBytes.putAll(now);
  }

  @Override
  public void close() {
    looker.shutdownNow();
  }
}
