package io.ishbase.plugin.hbase;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HConstants.OperationStatusCode;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.NoTagsByteBufferKeyValue;
import org.apache.hadoop.hbase.NoTagsKeyValue;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.regionserver.OperationStatus;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

/** What an increment or append answers with, when the request's memory has another use. */
class OwnedResultsTest {
  private static final byte[] A = Bytes.toBytes("a");

  @Test
  void theMemoryOfTheRequestIsNotTheResults() {
    byte[] pooled = new KeyValue(A, A, A, 5L, Bytes.toBytes("mine")).getBuffer();
    byte[] direct = pooled.clone();
    OperationStatus[] changes = {
      done(new NoTagsKeyValue(pooled, 0, pooled.length)),
      done(new NoTagsByteBufferKeyValue(ByteBuffer.wrap(direct), 0, direct.length)),
      new OperationStatus(OperationStatusCode.SUCCESS, Result.EMPTY_RESULT),
      new OperationStatus(OperationStatusCode.SUCCESS),
    };
    OwnedResults.own(changes);
    Arrays.fill(pooled, (byte) 7);
    Arrays.fill(direct, (byte) 7);
    for (OperationStatus change : List.of(changes[0], changes[1])) {
      assertThat(change.getOperationStatusCode()).isEqualTo(OperationStatusCode.SUCCESS);
      assertThat(Bytes.toString(change.getResult().getValue(A, A))).isEqualTo("mine");
    }
    assertThat(changes[2].getResult().isEmpty()).isTrue();
  }

  private static OperationStatus done(Cell cell) {
    return new OperationStatus(OperationStatusCode.SUCCESS, Result.create(List.of(cell)));
  }
}
