package io.ishbase.protocol;

import io.ishbase.protocol.generated.CompactionProtos.CompactRequest;
import io.ishbase.protocol.generated.CompactionProtos.Mob;
import io.ishbase.protocol.generated.CompactionProtos.StoragePolicy;
import io.ishbase.protocol.generated.CompactionProtos.Stripes;
import io.ishbase.protocol.generated.CompactionProtos.StripesBySize;
import io.ishbase.protocol.generated.CompactionProtos.Windows;
import java.util.List;
import java.util.TimeZone;
import java.util.regex.Pattern;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;

/**
 * Into which files a compaction divides what it writes. Both ends look at it: a region server keeps
 * a compaction that a worker would refuse, so that a setting of a table blames no worker.
 */
public final class CompactionLayout {
  /** New files of one compaction; all of them are open, with their buffers, until its end. */
  public static final int MAX_FILES = 100;

  /** Of all boundaries together, so that they do not fill a request. */
  private static final int MAX_BYTES = 1 << 20;

  // It becomes a directory's name.
  private static final Pattern POLICY = Pattern.compile("[A-Za-z0-9_]{1,50}");

  private CompactionLayout() {}

  /** Why no worker takes a request with this layout; null: one does. */
  public static @Nullable String fault(CompactRequest request) {
    return switch (request.getLayoutCase()) {
      case WINDOWS -> fault(request.getWindows());
      case STRIPES -> fault(request.getStripes());
      case MOB -> fault(request.getMob());
      default -> null;
    };
  }

  /** Whether a compaction of which no cell is left may end without any file. */
  public static boolean mayBeEmpty(CompactRequest request) {
    return switch (request.getLayoutCase()) {
      case WINDOWS -> !request.getWindows().getNeverEmpty();
      case STRIPES ->
          request.getStripes().hasBySize() && request.getStripes().getBySize().getCount() != 1;
      default -> false;
    };
  }

  /** New files of the store that a compaction with a sound layout has at most. */
  public static int mostFiles(CompactRequest request) {
    return switch (request.getLayoutCase()) {
      case WINDOWS -> request.getWindows().getFromCount();
      case STRIPES ->
          request.getStripes().hasBySize()
              ? Math.min(request.getStripes().getBySize().getCount(), MAX_FILES)
              : request.getStripes().getBoundaryCount() - 1;
      case MOB -> 1;
      // Historical versions may lie apart.
      default -> 2;
    };
  }

  private static @Nullable String fault(Windows windows) {
    if (windows.getFromCount() == 0 || windows.getFromCount() > MAX_FILES) {
      return windows.getFromCount() + " windows";
    }
    // Each cell lies in one.
    if (windows.getFrom(0) != Long.MIN_VALUE) {
      return "No window for the oldest cells";
    }
    for (int i = 1; i < windows.getFromCount(); i++) {
      if (windows.getFrom(i) <= windows.getFrom(i - 1)) {
        return "Windows in disorder";
      }
    }
    if (windows.getPolicyCount() > windows.getFromCount()) {
      return windows.getPolicyCount() + " storage policies";
    }
    for (StoragePolicy policy : windows.getPolicyList()) {
      if (!POLICY.matcher(policy.getName()).matches()) {
        return "'" + policy.getName() + "' is no storage policy";
      }
    }
    return null;
  }

  private static @Nullable String fault(Mob mob) {
    // Of a zone that it does not know, Java says that it is Greenwich's.
    return TimeZone.getTimeZone(mob.getTimeZone()).getID().equals(mob.getTimeZone())
        ? null
        : "'" + mob.getTimeZone() + "' is no time zone";
  }

  private static @Nullable String fault(Stripes stripes) {
    if (stripes.hasMajorFrom() != stripes.hasMajorTo()) {
      return "Half a range of which all files are compacted";
    }
    long bytes =
        stripes.getBoundaryList().stream().mapToLong(ByteString::size).sum()
            + stripes.getBySize().getLeft().size()
            + stripes.getBySize().getRight().size()
            + stripes.getMajorFrom().size()
            + stripes.getMajorTo().size();
    if (bytes > MAX_BYTES) {
      return bytes + " bytes of boundaries";
    }
    if (stripes.getBoundaryCount() == 0) {
      return stripes.hasBySize() ? fault(stripes.getBySize()) : "No stripes";
    }
    if (stripes.hasBySize()) {
      return "Stripes by boundaries and by size";
    }
    if (stripes.getBoundaryCount() < 2 || stripes.getBoundaryCount() > MAX_FILES + 1) {
      return stripes.getBoundaryCount() + " boundaries of stripes";
    }
    return areAscending(stripes.getBoundaryList()) ? null : "Boundaries in disorder";
  }

  private static @Nullable String fault(StripesBySize stripes) {
    if (stripes.getCount() < 1) {
      return stripes.getCount() + " stripes";
    }
    if (stripes.getCells() < 0) {
      return stripes.getCells() + " cells for each stripe";
    }
    return areAscending(List.of(stripes.getLeft(), stripes.getRight()))
        ? null
        : "Boundaries in disorder";
  }

  /** Empty ones at either end are open. */
  private static boolean areAscending(List<ByteString> rows) {
    for (int i = 0; i < rows.size(); i++) {
      ByteString row = rows.get(i);
      boolean isEnd = i == 0 || i == rows.size() - 1;
      if (row.size() > HConstants.MAX_ROW_LENGTH || row.isEmpty() && !isEnd) {
        return false;
      }
      if (i > 0
          && !row.isEmpty()
          && Bytes.compareTo(rows.get(i - 1).toByteArray(), row.toByteArray()) >= 0) {
        return false;
      }
    }
    return true;
  }
}
