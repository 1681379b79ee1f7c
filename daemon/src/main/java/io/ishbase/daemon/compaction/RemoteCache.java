package io.ishbase.daemon.compaction;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.apache.hbase.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.jspecify.annotations.Nullable;

/**
 * What compactions of this worker wrote, byte for byte as in HDFS, for region servers that fill
 * their block caches from it (the seed's remote cache, section 5.3.2). A file is kept until its
 * region server does not need it any more, nobody has asked for it for ten minutes, or the memory
 * is wanted for a newer one: then the file that was asked for the longest time ago goes first.
 *
 * <p>All state is guarded by this; bytes that a file holds do not change once written.
 */
final class RemoteCache {
  private static final int CHUNK_BYTES = 1 << 18;
  private static final long KEPT_NANOS = TimeUnit.MINUTES.toNanos(10);

  private final long capacityBytes;

  /** By name; those that were asked for the longest time ago first. */
  private final Map<String, Kept> files = new LinkedHashMap<>(16, 0.75f, true);

  private long usedBytes;

  /** Keeps {@code capacityBytes} at most; 0: nothing. */
  RemoteCache(long capacityBytes) {
    this.capacityBytes = capacityBytes;
  }

  private static final class Kept {
    private final List<byte[]> chunks = new ArrayList<>();
    private long length;
    private boolean complete;
    private long askedNanos = System.nanoTime();
  }

  boolean keepsAny() {
    return capacityBytes > 0;
  }

  /** Begins to keep a file. */
  synchronized void begin(String name) {
    drop(name);
    files.put(name, new Kept());
  }

  /** Keeps more of a file that was begun. If it becomes too much, the file is not kept. */
  synchronized void append(String name, byte[] bytes, int offset, int length) {
    Kept file = files.get(name);
    if (file == null) {
      return;
    }
    int done = 0;
    while (done < length) {
      int inChunk = (int) (file.length % CHUNK_BYTES);
      if (inChunk == 0) {
        if (!hasRoom(name)) {
          drop(name);
          return;
        }
        file.chunks.add(new byte[CHUNK_BYTES]);
        usedBytes += CHUNK_BYTES;
      }
      int now = Math.min(length - done, CHUNK_BYTES - inChunk);
      byte[] chunk = file.chunks.get(file.chunks.size() - 1);
      System.arraycopy(bytes, offset + done, chunk, inChunk, now);
      file.length += now;
      done += now;
    }
  }

  /** Makes room for one more chunk of {@code name}. */
  private boolean hasRoom(String name) {
    Iterator<Map.Entry<String, Kept>> oldest = files.entrySet().iterator();
    while (usedBytes + CHUNK_BYTES > capacityBytes && oldest.hasNext()) {
      Map.Entry<String, Kept> entry = oldest.next();
      if (entry.getValue().complete && !entry.getKey().equals(name)) {
        oldest.remove();
        usedBytes -= (long) entry.getValue().chunks.size() * CHUNK_BYTES;
      }
    }
    return usedBytes + CHUNK_BYTES <= capacityBytes;
  }

  /** The file is whole: from now on it may be read. */
  synchronized void complete(String name) {
    Kept file = files.get(name);
    if (file != null) {
      file.complete = true;
      file.askedNanos = System.nanoTime();
    }
  }

  /** Forgets a file. */
  synchronized void drop(String name) {
    Kept file = files.remove(name);
    if (file != null) {
      usedBytes -= (long) file.chunks.size() * CHUNK_BYTES;
    }
  }

  /** Forgets what nobody has asked for lately. */
  synchronized void sweep() {
    long now = System.nanoTime();
    List<String> old = new ArrayList<>();
    files.forEach(
        (name, file) -> {
          if (file.complete && now - file.askedNanos > KEPT_NANOS) {
            old.add(name);
          }
        });
    old.forEach(this::drop);
  }

  /** At most {@code maxBytes} of a file from {@code offset} on; null if it is not kept. */
  synchronized @Nullable ByteString read(String name, long offset, int maxBytes) {
    Kept file = files.get(name);
    if (file == null || !file.complete) {
      return null;
    }
    file.askedNanos = System.nanoTime();
    ByteString read = ByteString.EMPTY;
    long at = offset;
    long end = Math.min(file.length, offset + maxBytes);
    while (at < end) {
      int inChunk = (int) (at % CHUNK_BYTES);
      int now = (int) Math.min(end - at, CHUNK_BYTES - inChunk);
      byte[] chunk = file.chunks.get((int) (at / CHUNK_BYTES));
      read = read.concat(UnsafeByteOperations.unsafeWrap(chunk, inChunk, now));
      at += now;
    }
    return read;
  }

  synchronized long usedBytes() {
    return usedBytes;
  }
}
