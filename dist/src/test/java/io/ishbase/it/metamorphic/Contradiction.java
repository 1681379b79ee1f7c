package io.ishbase.it.metamorphic;

/**
 * Where what HBase answers depends on how it came by its files. A difference that one of these
 * explains is no fault if HBase's own path gives the same over the same files; each is counted.
 */
enum Contradiction {
  /** A raw scan shows what no flush, compaction or memstore has dropped yet. */
  WHAT_WAS_NOT_DROPPED_YET {
    @Override
    boolean concerns(Line read) {
      return read.has("raw");
    }
  },

  /**
   * A family's marker has no qualifier. Where blocks end decides whether HBase goes from one to the
   * next column, or to the next of them, which versions, a filter of columns and a limit for each
   * family count once more. All cells are the same.
   */
  A_MARKER_COUNTS_ONCE_MORE {
    @Override
    boolean concerns(Line read) {
      return read.has("raw")
          && (hasFilter(read, "ColumnPaginationFilter") || read.option("per-family") != null);
    }

    @Override
    boolean isSo(Line read, Subject reference, Subject subject, Answer expected, Answer found) {
      Line all =
          read.without("filter")
              .without("per-family")
              .without("offset")
              .without("versions")
              .with("versions=1000");
      return subject.again(all).equals(subject.stock(all));
    }
  },

  /**
   * Versions outside of a time range do not count. So older ones show in it, unless they were
   * dropped because there were newer ones. And a file that has no cell in the range is left out
   * with its delete markers, so that what they hide shows.
   */
  WHAT_A_TIME_RANGE_LEAVES_OUT {
    @Override
    boolean concerns(Line read) {
      return read.option("time") != null || read.option("family-time") != null;
    }
  },

  /**
   * A family that keeps a least number of versions shows some that have expired to who asks for
   * more, until a flush or compaction, also one in memory, drops them.
   */
  VERSIONS_THAT_HAVE_EXPIRED {
    @Override
    boolean concerns(Line read) {
      return read.option("versions") != null;
    }

    @Override
    boolean isSo(Line read, Subject reference, Subject subject, Answer expected, Answer found) {
      return subject.keepsExpired() && subject.stock(read).equals(found);
    }
  },

  /**
   * Versions that a TimestampsFilter's hint seeks past do not count, so older ones show unless they
   * were dropped.
   */
  VERSIONS_THAT_A_HINT_SKIPS {
    @Override
    boolean concerns(Line read) {
      return hasFilter(read, "HintedTimestamps");
    }
  },

  /**
   * A filter is shown the key of a row of which a file has only what is hidden, and may end the
   * scan there; a compaction drops such a row.
   */
  A_FILTER_ENDS_AT_A_ROW_OF_NOTHING {
    @Override
    boolean concerns(Line read) {
      return hasFilter(read, "WHILE");
    }
  },

  /**
   * Where a Bloom filter of rows and columns says no, HBase's lazy seek leaves a key that no file
   * has on top of the heap, and a filter is shown its row. Without lazy seeks HBase agrees with
   * itself.
   */
  A_FILTER_SEES_A_FAKE_ROW {
    @Override
    boolean concerns(Line read) {
      return read.option("filter") != null;
    }

    @Override
    boolean isSo(Line read, Subject reference, Subject subject, Answer expected, Answer found) {
      Answer here = subject.stock(read);
      Answer hereWithout = subject.stockWithoutLazySeeks(read);
      Answer thereWithout = reference.stockWithoutLazySeeks(read);
      return (!here.equals(hereWithout) || !expected.equals(thereWithout))
          && hereWithout.equals(thereWithout)
          && (found.equals(here) || found.equals(hereWithout));
    }
  },

  /**
   * A scan that goes on as a stream, behind as many bytes as four blocks have, stops where it is;
   * with a filter it may not show the rest of the row. One that is told how to read agrees with
   * itself.
   */
  A_FILTERED_SCAN_BECOMES_A_STREAM {
    @Override
    boolean concerns(Line read) {
      return read.verb().equals("scan")
          && read.option("filter") != null
          && read.option("type") == null;
    }

    @Override
    boolean isSo(Line read, Subject reference, Subject subject, Answer expected, Answer found) {
      Line pread = read.with("type=PREAD");
      return subject.stock(read).equals(found)
          && subject.stock(pread).equals(reference.stock(pread));
    }
  },

  /** A filter is shown the reference to a large object, and judges its bytes. */
  A_FILTER_SEES_A_REFERENCE {
    @Override
    boolean concerns(Line read) {
      return read.option("filter") != null;
    }

    @Override
    boolean isSo(Line read, Subject reference, Subject subject, Answer expected, Answer found) {
      // Without lazy seeks: with them HBase may throw, where the reference shows what it is of. By
      // position: else it may lose a row of its own where it becomes a stream.
      return subject.options().containsKey("mob")
          && (subject.stock(read).equals(found)
              || subject.stockWithoutLazySeeks(read).equals(found)
              || read.verb().equals("scan")
                  && read.option("type") == null
                  && subject.stock(read.with("type=PREAD")).equals(found));
    }
  },

  /**
   * For a reverse scan HBase looks up the stripes as if its rows were those of one that goes
   * forward: it misses stripes, or throws.
   */
  A_REVERSE_SCAN_MISSES_STRIPES {
    @Override
    boolean concerns(Line read) {
      return read.has("reversed");
    }

    @Override
    boolean isSo(Line read, Subject reference, Subject subject, Answer expected, Answer found) {
      return "stripe".equals(subject.options().get("engine")) && subject.stock(read).equals(found);
    }
  },

  /**
   * HBase's reader of half a file throws in a reverse scan, at some places; the client asks once
   * more, and is told that it asks out of order.
   */
  A_REVERSE_SCAN_THROWS_AT_HALF_A_FILE {
    @Override
    boolean concerns(Line read) {
      return read.has("reversed");
    }

    @Override
    boolean isSo(Line read, Subject reference, Subject subject, Answer expected, Answer found) {
      return threwInHalfAFile(found) && expected.startsWith(found)
          || threwInHalfAFile(expected) && found.startsWith(expected);
    }

    private static boolean threwInHalfAFile(Answer answer) {
      return answer.threwIn("HalfStoreFileReader")
          || answer.threwIn("OutOfOrderScannerNextException");
    }
  },

  /**
   * Stock HBase's table throws, for what has no rule of its own. Not the other way round: files
   * that others than HBase have written may be why.
   */
  A_READ_THAT_HBASE_FAILS {
    @Override
    boolean concerns(Line read) {
      return true;
    }

    @Override
    boolean isSo(Line read, Subject reference, Subject subject, Answer expected, Answer found) {
      return expected.isRefused() && !found.isRefused() && subject.stock(read).equals(found);
    }
  };

  /** Whether a read is one whose answers it may touch. */
  abstract boolean concerns(Line read);

  /** Whether it explains what {@code subject} answered otherwise than {@code reference}. */
  boolean isSo(Line read, Subject reference, Subject subject, Answer expected, Answer found) {
    return subject.stock(read).equals(found);
  }

  /** That which explains an answer; null: none does. */
  static Contradiction explaining(
      Line line, Subject reference, Subject subject, Answer expected, Answer found) {
    if (Reads.isRead(line)) {
      for (Contradiction each : values()) {
        if (each.concerns(line) && each.isSo(line, reference, subject, expected, found)) {
          return each;
        }
      }
    }
    return null;
  }

  private static boolean hasFilter(Line read, String name) {
    return read.option("filter") != null && read.option("filter").contains(name);
  }
}
