package io.ishbase.protocol;

import com.github.luben.zstd.Zstd;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
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

  /** Families that are remembered; others wait until one of them has not come for a while. */
  private static final int MAX_FAMILIES = 64;

  private static final long FORGOTTEN_NANOS = TimeUnit.MINUTES.toNanos(10);

  /** A dictionary is made of so many bytes of batches, or of so many batches. */
  private static final int SAMPLE_BYTES = 1 << 20;

  private static final int MAX_SAMPLES = 4000;

  /** Of dictionaries that travel, to be fetched before they are of use. */
  public static final int SMALL_DICTIONARY_BYTES = 16 << 10;

  /** Batches that are set aside, one in so many, to see what a dictionary is worth. */
  private static final int TESTED_ONE_IN = 10;

  /** Of the bytes without it, or with the one before, or it is not taken. */
  private static final double WORTHWHILE = 0.9;

  private static final long PAUSE_NANOS = TimeUnit.HOURS.toNanos(1);

  /** The batches of one family. Guarded by the monitor of all. */
  private static final class Family {
    private final String name;
    private @Nullable Dictionary dictionary;
    private List<byte[]> samples = new ArrayList<>();
    private int sampledBytes;
    private long nextNanos;
    private long cameNanos;

    Family(String name, long now) {
      this.name = name;
      this.nextNanos = now;
    }
  }

  private final int dictionaryBytes;
  private final Executor background;
  private final LongSupplier clock;

  /** In the order in which they came last. */
  private final Map<String, Family> families = new LinkedHashMap<>(MAX_FAMILIES, 0.75f, true);

  /** Whether a dictionary is being made, or about to be. */
  private boolean isBusy;

  /**
   * @param dictionaryBytes size of the dictionaries: {@link #SMALL_DICTIONARY_BYTES} to {@link
   *     Dictionary#MAX_BYTES}
   * @param background makes dictionaries, which takes some tenths of a second; one that cannot says
   *     so, and drops none in silence
   * @param clock in nanoseconds
   */
  public DictionaryTrainer(int dictionaryBytes, Executor background, LongSupplier clock) {
    this.dictionaryBytes = dictionaryBytes;
    this.background = background;
    this.clock = clock;
  }

  /** The dictionary for batches of so many bytes; null: there is none. */
  public synchronized @Nullable Dictionary of(String family, int bytes) {
    Family known = bytes > SMALL_BYTES ? null : family(family);
    return known == null ? null : known.dictionary;
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

  /** Null: there are too many. */
  private @Nullable Family family(String name) {
    Family family = families.get(name);
    long now = clock.getAsLong();
    if (family == null) {
      if (families.size() == MAX_FAMILIES) {
        Iterator<Family> all = families.values().iterator();
        if (now - all.next().cameNanos < FORGOTTEN_NANOS) {
          return null;
        }
        all.remove();
      }
      family = new Family(name, now);
      families.put(name, family);
    }
    family.cameNanos = now;
    return family;
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
      if (family == null || isBusy || clock.getAsLong() - family.nextNanos < 0) {
        return;
      }
      family.samples.add(packed);
      family.sampledBytes += packed.length;
      if (family.sampledBytes < SAMPLE_BYTES && family.samples.size() < MAX_SAMPLES) {
        return;
      }
      samples = family.samples;
      family.samples = new ArrayList<>();
      family.sampledBytes = 0;
      family.nextNanos = clock.getAsLong() + PAUSE_NANOS;
      isBusy = true;
    }
    try {
      background.execute(() -> renew(family, samples));
    } catch (RejectedExecutionException e) {
      LOG.debug("No dictionary for {}", familyName, e);
      synchronized (this) {
        isBusy = false;
      }
    }
  }

  private void renew(Family family, List<byte[]> samples) {
    try {
      learn(family, samples);
    } catch (RuntimeException e) {
      LOG.warn("No dictionary for {}", family.name, e);
    } finally {
      synchronized (this) {
        isBusy = false;
      }
    }
  }

  private void learn(Family family, List<byte[]> samples) {
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

  private @Nullable Dictionary make(List<byte[]> samples) {
    int bytes = samples.stream().mapToInt(each -> each.length).sum();
    // Not of arrays: Java would collect no garbage while the library looks at them.
    ByteBuffer joined = ByteBuffer.allocateDirect(bytes);
    samples.forEach(joined::put);
    joined.flip();
    ByteBuffer content = ByteBuffer.allocateDirect(dictionaryBytes);
    int[] sizes = samples.stream().mapToInt(each -> each.length).toArray();
    long size = Zstd.trainFromBufferDirect(joined, sizes, content);
    if (Zstd.isError(size)) {
      // Of samples that have nothing in common none can be made.
      LOG.debug("No dictionary: {}", Zstd.getErrorName(size));
      return null;
    }
    byte[] made = new byte[(int) size];
    content.get(0, made);
    return new Dictionary(made);
  }

  private static long bytes(List<byte[]> samples, @Nullable Dictionary dictionary) {
    return samples.stream().mapToLong(each -> Packing.compress(each, dictionary).length).sum();
  }
}
