package io.ishbase.plugin.aggregate;

import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto.Label;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto.Type;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.MethodDescriptorProto;
import com.google.protobuf.DescriptorProtos.ServiceDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos;
import org.jspecify.annotations.Nullable;

/**
 * The messages of HBase's AggregateService, as its {@code AggregationClient} sends and takes them.
 * HBase's own classes of them are in {@code hbase-endpoint}, which a region server need not have;
 * endpoints speak the protobuf of HBase's public interface, of which no code is generated here.
 *
 * <p>The scan is declared as bytes: on the wire a message is nothing else.
 */
public final class AggregateMessages {
  /** The calls of the service. */
  public static final List<String> METHODS =
      List.of("GetMax", "GetMin", "GetSum", "GetRowNum", "GetAvg", "GetStd", "GetMedian");

  public static final ServiceDescriptor SERVICE = file().findServiceByName("AggregateService");

  private static final Descriptor REQUEST = SERVICE.getMethods().get(0).getInputType();
  private static final FieldDescriptor INTERPRETER = REQUEST.findFieldByNumber(1);
  private static final FieldDescriptor SCAN = REQUEST.findFieldByNumber(2);
  private static final FieldDescriptor SPECIFIC = REQUEST.findFieldByNumber(3);

  private static final Descriptor RESPONSE = SERVICE.getMethods().get(0).getOutputType();
  private static final FieldDescriptor FIRST = RESPONSE.findFieldByNumber(1);
  private static final FieldDescriptor SECOND = RESPONSE.findFieldByNumber(2);

  private AggregateMessages() {}

  private static FileDescriptor file() {
    ServiceDescriptorProto.Builder service =
        ServiceDescriptorProto.newBuilder().setName("AggregateService");
    for (String method : METHODS) {
      service.addMethod(
          MethodDescriptorProto.newBuilder()
              .setName(method)
              .setInputType("AggregateRequest")
              .setOutputType("AggregateResponse"));
    }
    FileDescriptorProto file =
        FileDescriptorProto.newBuilder()
            .setName("Aggregate.proto")
            .addMessageType(
                DescriptorProto.newBuilder()
                    .setName("AggregateRequest")
                    .addField(
                        field("interpreter_class_name", 1, Label.LABEL_REQUIRED, Type.TYPE_STRING))
                    .addField(field("scan", 2, Label.LABEL_REQUIRED, Type.TYPE_BYTES))
                    .addField(
                        field(
                            "interpreter_specific_bytes",
                            3,
                            Label.LABEL_OPTIONAL,
                            Type.TYPE_BYTES)))
            .addMessageType(
                DescriptorProto.newBuilder()
                    .setName("AggregateResponse")
                    .addField(field("first_part", 1, Label.LABEL_REPEATED, Type.TYPE_BYTES))
                    .addField(field("second_part", 2, Label.LABEL_OPTIONAL, Type.TYPE_BYTES)))
            .addService(service)
            .build();
    try {
      return FileDescriptor.buildFrom(file, new FileDescriptor[0]);
    } catch (DescriptorValidationException e) {
      throw new IllegalStateException(e);
    }
  }

  private static FieldDescriptorProto field(String name, int number, Label label, Type type) {
    return FieldDescriptorProto.newBuilder()
        .setName(name)
        .setNumber(number)
        .setLabel(label)
        .setType(type)
        .build();
  }

  static Message requestPrototype() {
    return DynamicMessage.getDefaultInstance(REQUEST);
  }

  public static Message responsePrototype() {
    return DynamicMessage.getDefaultInstance(RESPONSE);
  }

  /**
   * A request.
   *
   * @param specific what the interpreter is initialized with; null: nothing
   */
  public static Message request(String interpreterClass, Scan scan, @Nullable ByteString specific)
      throws IOException {
    DynamicMessage.Builder request =
        DynamicMessage.newBuilder(REQUEST)
            .setField(INTERPRETER, interpreterClass)
            .setField(SCAN, ByteString.copyFrom(ProtobufUtil.toScan(scan).toByteArray()));
    if (specific != null) {
      request.setField(SPECIFIC, specific);
    }
    return request.build();
  }

  static String interpreterClass(Message request) {
    return (String) request.getField(INTERPRETER);
  }

  static Scan scan(Message request) throws IOException {
    ByteString scan = (ByteString) request.getField(SCAN);
    return ProtobufUtil.toScan(ClientProtos.Scan.parseFrom(scan.toByteArray()));
  }

  static @Nullable ByteString specific(Message request) {
    return request.hasField(SPECIFIC) ? (ByteString) request.getField(SPECIFIC) : null;
  }

  /**
   * A response.
   *
   * @param second null: it has none
   */
  static Message response(List<ByteString> first, @Nullable ByteString second) {
    DynamicMessage.Builder response = DynamicMessage.newBuilder(RESPONSE);
    first.forEach(part -> response.addRepeatedField(FIRST, part));
    if (second != null) {
      response.setField(SECOND, second);
    }
    return response.build();
  }

  /** The parts of a response that are values. */
  public static List<ByteString> first(Message response) {
    return ((List<?>) response.getField(FIRST)).stream().map(ByteString.class::cast).toList();
  }

  /** The part of a response that is a count; null: it has none. */
  public static @Nullable ByteString second(Message response) {
    return response.hasField(SECOND) ? (ByteString) response.getField(SECOND) : null;
  }
}
