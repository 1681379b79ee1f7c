package io.ishbase.daemon.rpc;

import io.ishbase.protocol.Protocol;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.apache.hbase.thirdparty.com.google.protobuf.BlockingService;
import org.apache.hbase.thirdparty.com.google.protobuf.CodedInputStream;
import org.apache.hbase.thirdparty.com.google.protobuf.Descriptors.Descriptor;
import org.apache.hbase.thirdparty.com.google.protobuf.Descriptors.FieldDescriptor;
import org.apache.hbase.thirdparty.com.google.protobuf.Descriptors.MethodDescriptor;
import org.apache.hbase.thirdparty.com.google.protobuf.Descriptors.ServiceDescriptor;
import org.apache.hbase.thirdparty.com.google.protobuf.InvalidProtocolBufferException;
import org.apache.hbase.thirdparty.com.google.protobuf.Message;
import org.apache.hbase.thirdparty.com.google.protobuf.RpcController;
import org.apache.hbase.thirdparty.com.google.protobuf.ServiceException;
import org.apache.hbase.thirdparty.com.google.protobuf.WireFormat;

/**
 * A service that counts what a request consists of before it is parsed: two bytes may stand for an
 * object of hundreds. A request of too many parts is answered with an error.
 *
 * <p>Relies on HBase 2.6: {@code ServerRpcConnection.processRequest} takes the prototype's builder,
 * merges the request into it with {@code ProtobufUtil.mergeFrom}, and builds.
 */
final class BoundedService implements BlockingService {
  private final BlockingService service;

  BoundedService(BlockingService service) {
    this.service = service;
  }

  @Override
  public ServiceDescriptor getDescriptorForType() {
    return service.getDescriptorForType();
  }

  @Override
  public Message callBlockingMethod(
      MethodDescriptor method, RpcController controller, Message request) throws ServiceException {
    return service.callBlockingMethod(method, controller, request);
  }

  @Override
  public Message getRequestPrototype(MethodDescriptor method) {
    Message prototype = service.getRequestPrototype(method);
    return proxy(
        Message.class,
        (called, arguments) ->
            called.getName().equals("newBuilderForType")
                ? bounded(prototype)
                : called.invoke(prototype, arguments));
  }

  private static Message.Builder bounded(Message prototype) {
    Message.Builder builder = prototype.newBuilderForType();
    return proxy(
        Message.Builder.class,
        (called, arguments) -> {
          // A part takes a byte at least: most requests need not be counted.
          if (called.getName().equals("mergeFrom")
              && arguments[0] instanceof CodedInputStream in
              && in.getBytesUntilLimit() > Protocol.MAX_PARTS) {
            byte[] request = in.readRawBytes(in.getBytesUntilLimit());
            check(request, prototype.getDescriptorForType());
            return builder.mergeFrom(request);
          }
          return called.invoke(builder, arguments);
        });
  }

  /** What is done instead of a call. */
  private interface Calls {
    Object answer(Method called, Object[] arguments) throws Exception;
  }

  private static <T> T proxy(Class<T> type, Calls calls) {
    return type.cast(
        Proxy.newProxyInstance(
            BoundedService.class.getClassLoader(),
            new Class<?>[] {type},
            (self, called, arguments) -> {
              try {
                return calls.answer(called, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  static void check(byte[] request, Descriptor type) throws IOException {
    CodedInputStream in = CodedInputStream.newInstance(request);
    if (parts(in, type, 0) > Protocol.MAX_PARTS) {
      throw new InvalidProtocolBufferException(
          "A " + type.getName() + " of more than " + Protocol.MAX_PARTS + " parts");
    }
  }

  /** Counts on from {@code before}, until there are too many. */
  private static int parts(CodedInputStream in, Descriptor type, int before) throws IOException {
    int parts = before;
    while (parts <= Protocol.MAX_PARTS) {
      int tag = in.readTag();
      if (tag == 0) {
        break;
      }
      parts++;
      if (WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_START_GROUP) {
        throw new InvalidProtocolBufferException("A group in a " + type.getName());
      }
      FieldDescriptor field = type.findFieldByNumber(WireFormat.getTagFieldNumber(tag));
      if (field == null || WireFormat.getTagWireType(tag) != WireFormat.WIRETYPE_LENGTH_DELIMITED) {
        in.skipField(tag);
        continue;
      }
      if (field.isPackable()) {
        // A number takes a byte at least.
        int bytes = in.readRawVarint32();
        in.skipRawBytes(bytes);
        parts += bytes;
        continue;
      }
      if (field.getJavaType() != FieldDescriptor.JavaType.MESSAGE) {
        in.skipField(tag);
        continue;
      }
      int limit = in.pushLimit(in.readRawVarint32());
      parts = parts(in, field.getMessageType(), parts);
      in.popLimit(limit);
    }
    return parts;
  }

  @Override
  public Message getResponsePrototype(MethodDescriptor method) {
    return service.getResponsePrototype(method);
  }
}
