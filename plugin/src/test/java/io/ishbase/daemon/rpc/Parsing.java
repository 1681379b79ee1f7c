package io.ishbase.daemon.rpc;

import java.io.IOException;
import org.apache.hbase.thirdparty.com.google.protobuf.BlockingService;
import org.apache.hbase.thirdparty.com.google.protobuf.CodedInputStream;
import org.apache.hbase.thirdparty.com.google.protobuf.Descriptors.MethodDescriptor;
import org.apache.hbase.thirdparty.com.google.protobuf.Message;

/** What the RPC server does with a request before its service sees it. */
public final class Parsing {
  private Parsing() {}

  /**
   * The request of those bytes, as {@code ServerRpcConnection.processRequest} reads it.
   *
   * @throws IOException or RuntimeException if they are none: the caller is told so
   */
  public static Message request(BlockingService service, MethodDescriptor method, byte[] bytes)
      throws IOException {
    Message.Builder builder =
        new BoundedService(service).getRequestPrototype(method).newBuilderForType();
    CodedInputStream in = CodedInputStream.newInstance(bytes);
    // As long as the request is, which is how its parts are counted without being read.
    in.pushLimit(bytes.length);
    builder.mergeFrom(in);
    in.checkLastTagWas(0);
    return builder.build();
  }
}
