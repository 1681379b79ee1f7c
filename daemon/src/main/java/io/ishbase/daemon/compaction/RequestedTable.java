package io.ishbase.daemon.compaction;

import io.ishbase.daemon.rpc.RequestException;
import io.ishbase.protocol.generated.CompactionProtos.CompactRequest;
import io.ishbase.protocol.generated.IssnProtos.Code;
import java.io.IOException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.protobuf.ProtobufMagic;
import org.apache.hadoop.hbase.shaded.protobuf.generated.HBaseProtos;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.apache.hbase.thirdparty.com.google.protobuf.InvalidProtocolBufferException;

/**
 * The table that a request for a compaction names, before HBase's parsers see it: they keep each
 * name of a table that they have met for as long as the process lives.
 */
final class RequestedTable {
  /** As long as HDFS lets a directory's name be. */
  private static final int MOST_BYTES = 255;

  private static final ByteString MAGIC = ByteString.copyFrom(ProtobufMagic.PB_MAGIC);

  private RequestedTable() {}

  /**
   * Lets a request pass that names one table, which is there.
   *
   * @throws RequestException BAD_REQUEST: it does not; NO_FILE: there is none; FAILED: the file
   *     system does not say
   */
  static void check(CompactRequest request, FileSystem fs, Path root) throws RequestException {
    Path directory = directory(request, root);
    boolean exists;
    try {
      exists = fs.exists(directory);
    } catch (IOException e) {
      throw new RequestException(Code.FAILED, "Whether there is " + directory, e);
    }
    if (!exists) {
      throw new RequestException(Code.NO_FILE, "There is no table at " + directory);
    }
  }

  private static Path directory(CompactRequest request, Path root) throws RequestException {
    try {
      HBaseProtos.TableName table =
          HBaseProtos.TableSchema.parseFrom(withoutMagic(request.getTable())).getTableName();
      HBaseProtos.TableName ofRegion =
          HBaseProtos.RegionInfo.parseFrom(withoutMagic(request.getRegion())).getTableName();
      if (!ofRegion.equals(table)) {
        throw new RequestException(Code.BAD_REQUEST, "Not one family of one region");
      }
      TableName.isLegalNamespaceName(legal(table.getNamespace()));
      TableName.isLegalTableQualifierName(legal(table.getQualifier()));
      return new Path(
          CommonFSUtils.getNamespaceDir(root, table.getNamespace().toStringUtf8()),
          table.getQualifier().toStringUtf8());
    } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
      throw new RequestException(Code.BAD_REQUEST, "Not a compaction: " + e.getMessage(), e);
    }
  }

  private static byte[] legal(ByteString name) {
    if (name.size() > MOST_BYTES) {
      throw new IllegalArgumentException("a name of " + name.size() + " bytes");
    }
    return name.toByteArray();
  }

  private static ByteString withoutMagic(ByteString message) {
    return message.startsWith(MAGIC) ? message.substring(MAGIC.size()) : message;
  }
}
