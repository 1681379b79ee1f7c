package io.ishbase.plugin.master;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.protocol.MessageChecksum;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.generated.CompactionProtos.PlaceRequest;
import io.ishbase.protocol.generated.CompactionProtos.PlaceResponse;
import io.ishbase.protocol.generated.IssnProtos.Code;
import java.util.Collections;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hbase.thirdparty.com.google.protobuf.BlockingService;
import org.apache.hbase.thirdparty.com.google.protobuf.ServiceException;
import org.junit.jupiter.api.Test;

/** Questions that no region server asks. */
class ManagerEndpointTest {
  private static PlaceResponse ask(BlockingService manager, PlaceRequest.Builder question)
      throws ServiceException {
    return (PlaceResponse)
        manager.callBlockingMethod(
            manager.getDescriptorForType().findMethodByName("Place"),
            null,
            MessageChecksum.sealed(question.build()));
  }

  /** The master keeps a question until its store is silent. */
  @Test
  void aQuestionOfManyNamesIsRefused() throws Exception {
    BlockingService manager = Managers.overWorkers(HBaseConfiguration.create(), 1);
    PlaceRequest.Builder question =
        PlaceRequest.newBuilder()
            .setVersion(Protocol.VERSION)
            .setTicket("t")
            .setStore("s")
            .setBytes(1)
            .addAllAvoided(Collections.nCopies(24, "w".repeat(300)));
    assertThat(ask(manager, question).getCode()).isEqualTo(Code.OK);
    PlaceResponse tooMany =
        ask(manager, question.clone().addAllAvoided(Collections.nCopies(50, "w")).setTicket("u"));
    assertThat(tooMany.getCode()).isEqualTo(Code.BAD_REQUEST);
    assertThat(tooMany.getMessage()).contains("64 workers");
    PlaceResponse refusal =
        ask(manager, question.addAllAvoided(Collections.nCopies(2000, "another")).setTicket("u"));
    assertThat(refusal.getCode()).isEqualTo(Code.BAD_REQUEST);
    assertThat(refusal.getMessage()).contains("bytes");
    assertThat(refusal.getWaiting()).isZero();
  }
}
