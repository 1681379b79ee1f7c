package io.ishbase.daemon;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.ishbase.daemon.rpc.RequestException;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.ReadSet;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;

/**
 * The sets of reads that region servers have told this daemon of, by their handles. What is known
 * here is what a request would have said: it gives nobody a right, and each read is checked as if
 * it had said it. Bounded in bytes, so that whoever tells of many drives out what is not in use.
 * Thread safe.
 */
final class KnownSets {
  /** Of all of them, about: some thousands of stores. */
  private static final int MAX_BYTES = 16 << 20;

  /** What a set takes beside its strings, and how often it has those, at the most. */
  private static final int OVERHEAD_BYTES = 500;

  private static final int COPIES = 3;

  /** What a name takes beside its letters: an object, an array, a place in a list. */
  private static final int NAME_BYTES = 56;

  private final Cache<Long, ReadSet> sets;

  KnownSets() {
    this(MAX_BYTES);
  }

  KnownSets(int maxBytes) {
    sets =
        Caffeine.newBuilder()
            .maximumWeight(maxBytes)
            .weigher((Long handle, ReadSet set) -> weight(set))
            // What is too much goes before the next one comes, not some time later.
            .executor(Runnable::run)
            .build();
  }

  private static int weight(ReadSet set) {
    return OVERHEAD_BYTES + NAME_BYTES * set.files() + COPIES * set.bytes();
  }

  /**
   * The full form of a request, of which nothing was checked.
   *
   * @throws RequestException UNKNOWN_HANDLE, or BAD_REQUEST if it is in no form at all
   */
  ReadRequest full(ReadRequest request) throws RequestException {
    if (!ReadSet.isShort(request)) {
      if (request.getRowCount() > 0) {
        throw new RequestException(Code.BAD_REQUEST, "Rows in place of ranges, without a handle");
      }
      return request.hasHandle() ? request.toBuilder().clearHandle().build() : request;
    }
    if (ReadSet.contradicts(request)) {
      throw new RequestException(Code.BAD_REQUEST, "A handle, and a part of what it stands for");
    }
    if (request.getRowCount() > Protocol.MAX_RANGES) {
      throw new RequestException(
          Code.BAD_REQUEST,
          request.getRowCount() + " rows: must be " + Protocol.MAX_RANGES + " at most");
    }
    ReadSet set = sets.getIfPresent(request.getHandle());
    if (set == null) {
      throw new RequestException(
          Code.UNKNOWN_HANDLE, "Nothing is known by " + Long.toHexString(request.getHandle()));
    }
    return set.expanded(request);
  }

  /**
   * Remembers the set of a request that was checked, if it is told of one.
   *
   * @param request as it came
   * @param full the same in full
   * @throws RequestException BAD_REQUEST if its handle is not that of its set
   */
  void learn(ReadRequest request, ReadRequest full) throws RequestException {
    if (!request.hasHandle() || ReadSet.isShort(request)) {
      return;
    }
    long handle = request.getHandle();
    ReadSet known = sets.getIfPresent(handle);
    if (known != null && known.isOf(full)) {
      return;
    }
    ReadSet told = ReadSet.of(full);
    if (told.handle() != handle) {
      throw new RequestException(
          Code.BAD_REQUEST, Long.toHexString(handle) + " is not the handle of what is read");
    }
    if (told.bytes() > Protocol.MAX_HANDLE_BYTES) {
      throw new RequestException(
          Code.BAD_REQUEST,
          told.bytes() + " bytes by one handle: must be " + Protocol.MAX_HANDLE_BYTES + " at most");
    }
    sets.put(handle, told);
  }

  /** How many there are. */
  long size() {
    sets.cleanUp();
    return sets.estimatedSize();
  }

  /** About how much they take. */
  long bytes() {
    return sets.asMap().values().stream().mapToLong(KnownSets::weight).sum();
  }
}
