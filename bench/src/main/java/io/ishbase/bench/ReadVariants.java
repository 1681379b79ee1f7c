package io.ishbase.bench;

import io.ishbase.cluster.Mode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;

/**
 * The variants of a comparison of reads: each mode on a table, and stock HBase on the same rows in
 * blocks of 8 KB, as whoever reads single rows over a slow network would set it up.
 */
public final class ReadVariants {
  public static final String SMALL_BLOCKS = "stock-8k";

  private static final int SMALL_BLOCK_BYTES = 8 << 10;

  /** Makes the load of one variant. */
  public interface Reads {
    Load of(YcsbTable table, Mode mode);
  }

  private ReadVariants() {}

  /** Those of the user's modes, with small blocks if stock is among them. */
  public static List<Variant> of(ScenarioContext context, YcsbTable table, Reads reads)
      throws IOException {
    List<Mode> modes = context.options().modes();
    List<Variant> variants = new ArrayList<>(Variant.modes(modes, mode -> reads.of(table, mode)));
    if (modes.contains(Mode.STOCK)) {
      TableFormat format = table.shape().format();
      // Whoever encodes blocks and wants cheap seeks in them takes the encoding with an index.
      DataBlockEncoding encoding =
          format.encoding() == DataBlockEncoding.NONE
              ? DataBlockEncoding.NONE
              : DataBlockEncoding.ROW_INDEX_V1;
      YcsbTable small =
          YcsbTable.shared(context, table.shape().inSmallBlocks(SMALL_BLOCK_BYTES, encoding));
      variants.add(Variant.of(SMALL_BLOCKS, reads.of(small, Mode.STOCK)));
      context
          .results()
          .note(
              SMALL_BLOCKS
                  + ": stock HBase, blocks of 8 KB. It shares the region server's block cache with"
                  + " stock, whose blocks a window may find in it.");
    }
    return variants;
  }
}
