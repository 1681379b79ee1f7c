package io.ishbase.protocol;

import com.github.luben.zstd.Zstd;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the dictionaries with which small batches are compressed: one for each family, of batches
 * that it is shown, and now and then anew, for data changes. Thread safe.
 */
public final class DictionaryTrainer {
  private static final Logger LOG = LoggerFactory.getLogger(DictionaryTrainer.class);

  /** Larger batches hold enough to learn from themselves. */
  private static final int SMALL_BYTES = 8 << 10;

  /** Families that are remembered, those that came last. */
  private static final int MAX_FAMILIES = 64;

  /** A dictionary is made of so many bytes of batches, or of so many batches. */
  private static final int SAMPLE_BYTES = 1 << 20;

  private static final int MAX_SAMPLES = 4000;
  private static final int DICTIONARY_BYTES = 16 << 10;

  /** Batches that are set aside, one in so many, to see what a dictionary is worth. */
  private static final int TESTED_ONE_IN = 10;

  /** Of the bytes without it, or with the one before, or it is not taken. */
  private static final double WORTHWHILE = 0.9;

  private static final long PAUSE_NANOS = TimeUnit.HOURS.toNanos(1);

  /** The batches of one family. Guarded by the monitor of all. */
  private static final class Family {
    private final String name;
    private @Nullable Dictionary dictionary;
    private @Nullable List<byte[]> samples = new ArrayList<>();
    private int sampledBytes;
    private long nextNanos;

    Family(String name) {
      this.name = name;
    }
  }

  private final Executor background;
  private final LongSupplier clock;
  private final Map<String, Family> families =
      new LinkedHashMap<>(MAX_FAMILIES, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Family> eldest) {
          return size() > MAX_FAMILIES;
        }
      };

  /**
   * @param background makes dictionaries, which takes some tenths of a second
   * @param clock in nanoseconds
   */
  public DictionaryTrainer(Executor background, LongSupplier clock) {
    this.background = background;
    this.clock = clock;
  }

  /** The dictionary for batches of so many bytes; null: there is none. */
  public synchronized @Nullable Dictionary of(String family, int bytes) {
    return bytes > SMALL_BYTES ? null : family(family).dictionary;
  }

  /** That of this id; null: there is none, or none any more. */
  public synchronized @Nullable Dictionary withId(long id) {
    for (Family family : families.values()) {
      if (family.dictionary != null && family.dictionary.id() == id) {
        return family.dictionary;
      }
    }
    return null;
  }

  private Family family(String name) {
    return families.computeIfAbsent(name, Family::new);
  }

  /** Shows a batch, packed but not compressed, which may be learnt from. */
  public void saw(String familyName, byte[] packed) {
    if (packed.length > SMALL_BYTES) {
      return;
    }
    Family family;
    List<byte[]> samples;
    synchronized (this) {
      family = family(familyName);
      samples = family.samples;
      if (samples == null) {
        if (clock.getAsLong() - family.nextNanos < 0) {
          return;
        }
        samples = new ArrayList<>();
        family.samples = samples;
        family.sampledBytes = 0;
      }
      samples.add(packed);
      family.sampledBytes += packed.length;
      if (family.sampledBytes < SAMPLE_BYTES && samples.size() < MAX_SAMPLES) {
        return;
      }
      family.samples = null;
      family.nextNanos = clock.getAsLong() + PAUSE_NANOS;
    }
    Family complete = family;
    List<byte[]> learnt = samples;
    background.execute(() -> renew(complete, learnt));
  }

  private void renew(Family family, List<byte[]> samples) {
    List<byte[]> tested = new ArrayList<>();
    List<byte[]> learnt = new ArrayList<>();
    for (int i = 0; i < samples.size(); i++) {
      (i % TESTED_ONE_IN == 0 ? tested : learnt).add(samples.get(i));
    }
    Dictionary made = make(learnt);
    if (made == null) {
      return;
    }
    Dictionary before;
    synchronized (this) {
      before = family.dictionary;
    }
    long without = bytes(tested, before);
    long with = bytes(tested, made);
    boolean isTaken = with < WORTHWHILE * without;
    if (isTaken) {
      synchronized (this) {
        family.dictionary = made;
      }
    }
    LOG.info(
        "A dictionary for small batches of {}: {} bytes instead of {} each{}",
        family.name,
        with / tested.size(),
        without / tested.size(),
        isTaken ? "" : ", so it is not used");
  }

  private static @Nullable Dictionary make(List<byte[]> samples) {
    byte[] content = new byte[DICTIONARY_BYTES];
    long size = Zstd.trainFromBuffer(samples.toArray(byte[][]::new), content);
    if (Zstd.isError(size)) {
      // Of samples that have nothing in common none can be made.
      LOG.debug("No dictionary: {}", Zstd.getErrorName(size));
      return null;
    }
    return new Dictionary(Arrays.copyOf(content, (int) size));
  }

  private static long bytes(List<byte[]> samples, @Nullable Dictionary dictionary) {
    return samples.stream().mapToLong(each -> Packing.compress(each, dictionary).length).sum();
  }
}
