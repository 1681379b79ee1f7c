package io.ishbase.plugin.trace;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.io.hfile.DataBlockIndex;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.jspecify.annotations.Nullable;

/**
 * The rows with which blocks of an HFile begin, from its index: some runs, spread over the file.
 */
final class BlockStarts {
  private static final int MOST_RUNS = 16;
  private static final int RUN_BLOCKS = 16;

  private BlockStarts() {}

  static List<List<byte[]>> runs(HFile.Reader file) throws IOException {
    List<Cell> root = DataBlockIndex.rootKeys(file);
    int count = Math.min(MOST_RUNS, root.size());
    DataBlockIndex index = new DataBlockIndex(file);
    List<List<byte[]>> runs = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      List<byte[]> run = new ArrayList<>();
      @Nullable Cell key = root.get((int) ((long) i * root.size() / count));
      while (key != null && run.size() < RUN_BLOCKS) {
        run.add(CellUtil.cloneRow(key));
        DataBlockIndex.Entry block = index.find(key);
        key = block == null ? null : block.nextKey();
      }
      runs.add(run);
    }
    return runs;
  }
}
