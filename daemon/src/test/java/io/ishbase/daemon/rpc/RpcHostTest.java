package io.ishbase.daemon.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.protocol.generated.IssnProtos.Code;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ServerName;
import org.junit.jupiter.api.Test;

class RpcHostTest {
  private final AtomicInteger ended = new AtomicInteger();

  /** A native codec throws it at bytes that it cannot read, and the next read may be of others. */
  @Test
  void whatACodecThrowsEndsNoProcess() throws IOException {
    RpcHost host =
        new RpcHost(new Configuration(), ServerName.valueOf("host", 16, 1), ended::incrementAndGet);
    InternalError ofCodec = new InternalError("Data corruption detected");
    host.endIfFatal(ofCodec);
    host.endIfFatal(new StackOverflowError());
    host.endIfFatal(new NoClassDefFoundError());
    host.endIfFatal(null);
    assertThat(ended).hasValue(0);
    assertThat(RequestException.classified("file", new IOException(ofCodec)).code())
        .isEqualTo(Code.CORRUPT);
    host.endIfFatal(new OutOfMemoryError());
    assertThat(ended).hasValue(1);
  }
}
