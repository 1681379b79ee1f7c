package io.ishbase.daemon.compaction;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoder;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoder.EncodedSeeker;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.io.hfile.BlockCopier;
import org.apache.hadoop.hbase.io.hfile.CorruptHFileException;
import org.apache.hadoop.hbase.io.hfile.DataBlockIndex;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileBlock;
import org.apache.hadoop.hbase.io.hfile.HFileContext;
import org.apache.hadoop.hbase.nio.ByteBuff;
import org.jspecify.annotations.Nullable;

/** Reads whole data blocks of an HFile: as they lie, and the cells in them. */
final class DataBlockReader {
  private final HFile.Reader reader;
  private final HFileContext context;
  private final @Nullable DataBlockEncoder encoder;
  private final @Nullable EncodedSeeker seeker;

  DataBlockReader(HFile.Reader reader, Configuration conf) {
    this.reader = reader;
    this.context = reader.getFileContext();
    this.encoder = reader.getDataBlockEncoding().getEncoder();
    this.seeker =
        encoder == null
            ? null
            : encoder.createSeeker(encoder.newDataBlockDecodingContext(conf, context));
  }

  /**
   * A block and what is in it.
   *
   * @param onDisk as it lies, on the heap; the caller's
   * @param cells refer to its memory, or to that into which it was unpacked
   * @param bytes of the cells, not encoded
   */
  record OpenBlock(HFileBlock onDisk, List<Cell> cells, long bytes) {
    Cell first() {
      return cells.get(0);
    }

    Cell last() {
      return cells.get(cells.size() - 1);
    }
  }

  /**
   * Reads a block and compares its checksums.
   *
   * @throws IOException if it cannot be read
   */
  OpenBlock read(DataBlockIndex.Entry place) throws IOException {
    HFileBlock onDisk = BlockCopier.read(reader, place.offset(), place.onDiskBytes());
    List<Cell> cells = cells(onDisk);
    long bytes = 0;
    for (Cell cell : cells) {
      bytes += cell.getSerializedSize();
    }
    return new OpenBlock(onDisk, cells, bytes);
  }

  private List<Cell> cells(HFileBlock onDisk) throws IOException {
    ByteBuff content = BlockCopier.unpack(reader, onDisk).getBufferWithoutHeader();
    List<Cell> cells = new ArrayList<>();
    if (encoder == null || seeker == null) {
      ByteBuffer bytes = content.asSubByteBuffer(content.remaining());
      boolean mvcc = context.isIncludesMvcc();
      boolean tags = context.isIncludesTags();
      for (Cell cell; (cell = KeyValueUtil.nextShallowCopy(bytes, mvcc, tags)) != null; ) {
        cells.add(cell);
      }
      return cells;
    }
    if (!DataBlockEncoding.isCorrectEncoder(encoder, content.getShort())) {
      throw new CorruptHFileException("A block of another encoding in " + reader.getPath());
    }
    seeker.setCurrentBuffer(content.slice());
    do {
      cells.add(seeker.getCell());
    } while (seeker.next());
    return cells;
  }
}
