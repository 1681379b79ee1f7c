package io.ishbase.plugin.scan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;

/**
 * The Gets of a {@code multi} call by what they ask for, but for their rows. Made in one pass over
 * the call, however many kinds there are of them: a client may send thousands. Used by the thread
 * that works on the call.
 */
final class GetKinds {
  /** Gets of one region that ask for the same. */
  static final class Kind {
    private final List<byte[]> rows = new ArrayList<>();
    private final Set<String> settled = new HashSet<>();

    /** How many there are. */
    int count() {
      return rows.size();
    }

    /**
     * The rows of those that are yet to come, and how many there are of each, where one of {@code
     * row} is carried out: HBase does that in the order of the call.
     */
    TreeMap<byte[], Integer> from(byte[] row) {
      TreeMap<byte[], Integer> from = new TreeMap<>(Bytes.BYTES_COMPARATOR);
      for (byte[] each : rows) {
        if (!from.isEmpty() || Arrays.equals(each, row)) {
          from.merge(each, 1, Integer::sum);
        }
      }
      return from;
    }

    /** Stores for which it is settled who asks with whom. */
    Set<String> settled() {
      return settled;
    }
  }

  /** By the region's name, then by the row: the kind of the first Get of that row. */
  private final Map<byte[], Map<byte[], Kind>> firsts = new TreeMap<>(Bytes.BYTES_COMPARATOR);

  GetKinds(ClientProtos.MultiRequest request) {
    Map<byte[], Map<byte[], Kind>> kinds = new TreeMap<>(Bytes.BYTES_COMPARATOR);
    for (ClientProtos.RegionAction action : request.getRegionActionList()) {
      byte[] region = action.getRegion().getValue().toByteArray();
      Map<byte[], Kind> ofRegion = kinds.computeIfAbsent(region, GetKinds::byBytes);
      Map<byte[], Kind> firstOfRow = firsts.computeIfAbsent(region, GetKinds::byBytes);
      for (ClientProtos.Action each : action.getActionList()) {
        if (each.hasGet()) {
          Kind kind = ofRegion.computeIfAbsent(withoutRow(each.getGet()), key -> new Kind());
          byte[] row = each.getGet().getRow().toByteArray();
          // Another Get of the row looks there, too, and is to be counted where it looks.
          firstOfRow.computeIfAbsent(row, first -> kind).rows.add(row);
        }
      }
    }
  }

  private static Map<byte[], Kind> byBytes(byte[] region) {
    return new TreeMap<>(Bytes.BYTES_COMPARATOR);
  }

  private static byte[] withoutRow(ClientProtos.Get get) {
    return get.toBuilder().setRow(ByteString.EMPTY).build().toByteArray();
  }

  /** What the first Get of {@code row} in {@code region} is like; null if there is none. */
  @Nullable Kind of(byte[] region, byte[] row) {
    return firsts.getOrDefault(region, Map.of()).get(row);
  }
}
