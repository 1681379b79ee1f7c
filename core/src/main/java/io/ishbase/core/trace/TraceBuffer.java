package io.ishbase.core.trace;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Operations on their way from the threads that serve clients to the one that writes them down.
 * Takes no lock and lets nobody wait: what has no room is dropped and counted. Any thread may add,
 * one at a time may take.
 */
public final class TraceBuffer {
  /** About what an operation takes beside its row. */
  private static final int ENTRY_BYTES = 128;

  private final long mostBytes;
  private final ConcurrentLinkedQueue<TraceEntry> entries = new ConcurrentLinkedQueue<>();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong dropped = new AtomicLong();

  /**
   * @param mostBytes of memory, about
   */
  public TraceBuffer(long mostBytes) {
    this.mostBytes = mostBytes;
  }

  /** Adds an operation, or drops it. */
  public void add(TraceEntry entry) {
    int size = size(entry);
    if (bytes.addAndGet(size) > mostBytes) {
      bytes.addAndGet(-size);
      dropped.incrementAndGet();
      return;
    }
    entries.add(entry);
  }

  /** The operation that was added first; null if there is none. */
  public @Nullable TraceEntry take() {
    TraceEntry entry = entries.poll();
    if (entry != null) {
      bytes.addAndGet(-size(entry));
    }
    return entry;
  }

  /** Operations that were dropped since this was asked last. */
  public long takeDropped() {
    return dropped.getAndSet(0);
  }

  private static int size(TraceEntry entry) {
    return ENTRY_BYTES + entry.row().length();
  }
}
