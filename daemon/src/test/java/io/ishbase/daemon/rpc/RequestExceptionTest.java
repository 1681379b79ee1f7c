package io.ishbase.daemon.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.protocol.generated.IssnProtos.Code;
import java.io.IOException;
import org.apache.hadoop.security.AccessControlException;
import org.junit.jupiter.api.Test;

class RequestExceptionTest {
  /** What keeps the daemon from one file keeps it from all. */
  @Test
  void aFileThatTheDaemonMayNotReadIsRefused() {
    AccessControlException noRight = new AccessControlException("Permission denied: user=other");
    assertThat(RequestException.classified("/f", noRight).code()).isEqualTo(Code.REFUSED);
    assertThat(RequestException.classified("/f", new IOException(noRight)).code())
        .isEqualTo(Code.REFUSED);
  }
}
