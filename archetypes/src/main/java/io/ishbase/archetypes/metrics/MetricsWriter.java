package io.ishbase.archetypes.metrics;

import io.ishbase.archetypes.metrics.IncrementBuffer.Waiting;
import io.ishbase.archetypes.metrics.IncrementSender.Outcome;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Counts. What is added waits in memory, added up by second of a series, until there is much of it
 * or it has waited long enough; then the thread that notices sends it, an increment for each row.
 * Safe for several threads.
 *
 * <p>A process that dies loses what waits: at most {@link MetricsOptions#bufferColumns} counters,
 * and what came in the last {@link MetricsOptions#bufferMillis} if {@link #flushIfDue} is called
 * that often. What was being sent then is applied once or not at all, row by row.
 *
 * <p>Bad input is an IllegalArgumentException, and changes nothing. What became of increments that
 * failed is in the {@link IncrementsException} of the call that sent them, which may be any of
 * {@link #add}, {@link #record}, {@link #observe}, {@link #flushIfDue}, {@link #flush} and {@link
 * #close}; what that call itself was to count has been taken, and may be among them.
 */
public final class MetricsWriter implements AutoCloseable {
  /** The largest magnitude that may be added at once: 2<sup>53</sup>. */
  public static final long MAX_AMOUNT = IncrementBuffer.MAX_AMOUNT;

  private record Counter(Slot slot, Column column) {}

  private final MetricsOptions options;
  private final LongSupplier clock;
  private final IncrementSender sender;
  private final Set<Counter> full = ConcurrentHashMap.newKeySet();

  /** Guards the two below it. */
  private final Object lock = new Object();

  private final IncrementBuffer buffer;
  private boolean closed;

  MetricsWriter(MetricsOptions options, LongSupplier clock, IncrementSender sender) {
    this.options = options;
    this.clock = clock;
    this.sender = sender;
    buffer = new IncrementBuffer(options.bufferColumns(), options.bufferMillis());
  }

  /**
   * Adds {@code amount} to the total of a series.
   *
   * @param millis when it was measured, since 1970; its second counts
   * @throws IllegalArgumentException if the time is before 1970, too far ahead or older than
   *     seconds are kept, the amount is beyond {@link #MAX_AMOUNT}, or the counter is nearly full
   */
  public void add(Series series, long millis, long amount) throws IncrementsException {
    Slot slot = slot(series, millis);
    count(slot, Map.of(total(slot, millis, amount), amount));
  }

  /**
   * Adds {@code value} to the distribution of a series.
   *
   * @throws IllegalArgumentException as for {@link #add}, or if the value is not a number, infinite
   *     or of a magnitude beyond {@code Double.MAX_VALUE / 1.01}
   */
  public void record(Series series, long millis, double value) throws IncrementsException {
    Slot slot = slot(series, millis);
    count(slot, Map.of(bin(slot, millis, value), 1L));
  }

  /**
   * Adds {@code value} to the total and to the distribution of a series, both or neither.
   *
   * @throws IllegalArgumentException as for {@link #add}
   */
  public void observe(Series series, long millis, long value) throws IncrementsException {
    Slot slot = slot(series, millis);
    Map<Column, Long> amounts = new HashMap<>();
    amounts.put(total(slot, millis, value), value);
    amounts.put(bin(slot, millis, value), 1L);
    count(slot, amounts);
  }

  /**
   * Adds what an {@link IncrementsException} named once more: all of it, before any is sent.
   *
   * @throws IllegalArgumentException if one of the counters is nearly full; nothing was added
   */
  public void addAgain(Collection<Delta> deltas) throws IncrementsException {
    deltas.forEach(delta -> checkNotFull(delta.slot(), delta.column()));
    synchronized (lock) {
      checkOpen();
      long now = clock.getAsLong();
      deltas.forEach(
          delta -> buffer.add(delta.slot(), Map.of(delta.column(), delta.amount()), now));
    }
    flushIfDue();
  }

  private Column total(Slot slot, long millis, long amount) {
    if (amount > MAX_AMOUNT || amount < -MAX_AMOUNT) {
      throw new IllegalArgumentException(
          "%d is too much to be added to %s at once; the largest magnitude is %d"
              .formatted(amount, slot.series(), MAX_AMOUNT));
    }
    return checkNotFull(slot, Column.total(Resolution.SECOND.offset(millis)));
  }

  private Column bin(Slot slot, long millis, double value) {
    return checkNotFull(slot, Bins.column(Resolution.SECOND.offset(millis), value));
  }

  private Column checkNotFull(Slot slot, Column column) {
    if (!full.isEmpty() && full.contains(new Counter(slot, column))) {
      throw new IllegalArgumentException(
          "A counter of %s is beyond 2^62 and takes no more".formatted(slot.series()));
    }
    return column;
  }

  private Slot slot(Series series, long millis) {
    long now = clock.getAsLong();
    if (millis < 0 || millis > now + options.futureMillis()) {
      throw new IllegalArgumentException(
          "%d ms is no time to count %s at: it is before 1970, or more than %d ms ahead of %d ms"
              .formatted(millis, series, options.futureMillis(), now));
    }
    if (options.retentionMillis() > 0 && millis < now - options.retentionMillis()) {
      throw new IllegalArgumentException(
          "%d ms is too late to be counted for %s: seconds are kept for %d ms"
              .formatted(millis, series, options.retentionMillis()));
    }
    return new Slot(series, Resolution.SECOND.base(millis));
  }

  private void count(Slot slot, Map<Column, Long> amounts) throws IncrementsException {
    synchronized (lock) {
      checkOpen();
      buffer.add(slot, amounts, clock.getAsLong());
    }
    flushIfDue();
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("The writer is closed");
    }
  }

  /** Sends what waits if it is much or has waited long enough; to be called from time to time. */
  public void flushIfDue() throws IncrementsException {
    Collection<Map<Slot, Waiting>> drained;
    synchronized (lock) {
      if (!buffer.isDue(clock.getAsLong())) {
        return;
      }
      drained = buffer.drain();
    }
    send(drained);
  }

  /** Sends what waits. What another thread is sending may still be under way when it returns. */
  public void flush() throws IncrementsException {
    Collection<Map<Slot, Waiting>> drained;
    synchronized (lock) {
      drained = buffer.drain();
    }
    send(drained);
  }

  /** How many counters wait to be sent. */
  public int waiting() {
    synchronized (lock) {
      return buffer.columns();
    }
  }

  private void send(Collection<Map<Slot, Waiting>> rounds) throws IncrementsException {
    Outcome outcome = new Outcome();
    for (Map<Slot, Waiting> round : rounds) {
      sender.send(round, outcome);
    }
    outcome.nearlyFull.forEach(delta -> full.add(new Counter(delta.slot(), delta.column())));
    outcome.check();
  }

  /** Sends what waits, and takes no more. */
  @Override
  public void close() throws IncrementsException {
    synchronized (lock) {
      closed = true;
    }
    flush();
  }
}
