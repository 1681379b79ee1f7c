package org.apache.hadoop.hbase.ipc;

import java.util.Objects;
import org.apache.hbase.thirdparty.io.netty.channel.ChannelOutboundBuffer;

/** What a server has written and its callers have not taken; HBase 2.5 does not say it. */
public final class AnswersUnderWay {
  private AnswersUnderWay() {}

  public static long bytes(NettyRpcServer server) {
    return server.allChannels.stream()
        .map(channel -> channel.unsafe().outboundBuffer())
        // Null: it is closed.
        .filter(Objects::nonNull)
        .mapToLong(ChannelOutboundBuffer::totalPendingWriteBytes)
        .sum();
  }
}
