package io.ishbase.plugin.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import java.util.List;
import org.apache.hadoop.hbase.ipc.HBaseRpcController;
import org.apache.hadoop.hbase.ipc.HBaseRpcControllerImpl;
import org.junit.jupiter.api.Test;

/** Reads that are given up while their connection ends. */
class PendingReadTest {
  private static final ReadRequest REQUEST =
      ReadRequest.newBuilder()
          .setVersion(Protocol.VERSION)
          .setDirectory("/hbase/data/t/r/f")
          .setReadPoint(1)
          .build();

  private final PendingRead read = new PendingRead(null, REQUEST, null, null);
  private int cancelled;

  /** Its connection has no channel any more, as HBase finds out too late. */
  private final HBaseRpcController ending =
      new HBaseRpcControllerImpl() {
        @Override
        public void startCancel() {
          cancelled++;
          throw new NullPointerException("as told");
        }
      };

  @Test
  void whoGoesHearsNothingOfIt() {
    read.sentAlone(ending);
    read.abandon();
    assertThat(read).isCancelled();
    assertThat(cancelled).isEqualTo(1);
  }

  @Test
  void norDoesTheLastOfThoseWhoShareARequest() {
    PendingRead other = new PendingRead(null, REQUEST, null, null);
    new SharedRequest(List.of(read, other), PendingRead::request, ending);
    read.abandon();
    assertThat(cancelled).isZero();
    other.abandon();
    assertThat(cancelled).isEqualTo(1);
  }
}
