package io.ishbase.it;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.FixedFileTrailer;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileScanner;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * An HFile as text: its cells with everything they have, its file info, and what its trailer says
 * but for where everything lies. Two files with the same text differ at most in the time when they
 * were made, and in where their blocks end.
 */
record HFileContents(List<String> cells, Map<String, String> info, String trailer) {
  static HFileContents of(FileSystem fs, Path path, Configuration conf) throws IOException {
    try (HFile.Reader reader = HFile.createReader(fs, path, CacheConfig.DISABLED, true, conf)) {
      Map<String, String> info = new TreeMap<>();
      reader
          .getHFileInfo()
          .forEach((key, value) -> info.put(Bytes.toString(key), Bytes.toStringBinary(value)));
      info.remove("hfile.CREATE_TIME_TS");
      return new HFileContents(cells(reader, conf), info, trailer(reader.getTrailer()));
    }
  }

  private static String trailer(FixedFileTrailer trailer) {
    return String.join(
        " ",
        trailer.getMajorVersion() + "." + trailer.getMinorVersion(),
        trailer.getEntryCount() + " cells",
        trailer.getMetaIndexCount() + " meta blocks",
        trailer.getCompressionCodec().getName(),
        trailer.getComparatorClassName(),
        trailer.getEncryptionKey() == null ? "" : "encrypted");
  }

  private static List<String> cells(HFile.Reader reader, Configuration conf) throws IOException {
    List<String> cells = new ArrayList<>();
    try (HFileScanner scanner = reader.getScanner(conf, false, false)) {
      for (boolean more = scanner.seekTo(); more; more = scanner.next()) {
        Cell cell = scanner.getCell();
        cells.add(
            CellUtil.getCellKeyAsString(cell)
                + "/"
                + cell.getSequenceId()
                + " = "
                + Bytes.toStringBinary(CellUtil.cloneValue(cell))
                + " tags "
                + Arrays.toString(PrivateCellUtil.cloneTags(cell)));
      }
    }
    return cells;
  }
}
