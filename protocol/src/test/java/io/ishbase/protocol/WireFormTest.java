package io.ishbase.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.protocol.generated.CompactionProtos;
import io.ishbase.protocol.generated.CompactionProtos.CompactRequest;
import io.ishbase.protocol.generated.CompactionProtos.CompactionState;
import io.ishbase.protocol.generated.CompactionProtos.Entry;
import io.ishbase.protocol.generated.CompactionProtos.PlaceRequest;
import io.ishbase.protocol.generated.CompactionProtos.ProgressResponse;
import io.ishbase.protocol.generated.IssnProtos;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.DaemonInfo;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import io.ishbase.protocol.generated.IssnProtos.RowRange;
import io.ishbase.protocol.generated.IssnProtos.WorkerInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.apache.hbase.thirdparty.com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import org.apache.hbase.thirdparty.com.google.protobuf.Descriptors.Descriptor;
import org.apache.hbase.thirdparty.com.google.protobuf.Descriptors.EnumDescriptor;
import org.apache.hbase.thirdparty.com.google.protobuf.Descriptors.FieldDescriptor;
import org.apache.hbase.thirdparty.com.google.protobuf.Descriptors.FileDescriptor;
import org.apache.hbase.thirdparty.com.google.protobuf.Descriptors.ServiceDescriptor;
import org.apache.hbase.thirdparty.com.google.protobuf.Message;
import org.apache.hbase.thirdparty.com.google.protobuf.UnknownFieldSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The wire form of the protocol's version, which releases of one version share. Its text has a line
 * for each field, constant and call, and for some messages their bytes. {@code
 * -Dishbase.golden=write} writes what is new; what is there stays as it is until {@link
 * Protocol#VERSION} is another one, which has a text of its own.
 */
class WireFormTest {
  private static final Path GOLDEN =
      Path.of("src/test/resources/golden/wire-" + Protocol.VERSION + ".txt");

  private static final byte[] ROW = Bytes.toBytes("row7");

  private static final List<FileDescriptor> FILES =
      List.of(IssnProtos.getDescriptor(), CompactionProtos.getDescriptor());

  /** As a daemon registers. */
  private static final DaemonInfo REGISTRATION =
      DaemonInfo.newBuilder()
          .setVersion(Protocol.VERSION)
          .setHost("node-1.example.org")
          .setPort(16060)
          .setStartCode(5)
          .setDatanode("10.0.0.1:9866")
          .addRole(Protocol.SCAN)
          .setLoadPercent(7)
          .setInfoPort(16061)
          .setWorker(WorkerInfo.newBuilder().setSlots(2).setRunning(1).setMemoryBytes(1 << 20))
          .setSharedReads(Protocol.MAX_SHARED_READS)
          .setAggregates(Protocol.AGGREGATES)
          .setHandles(Protocol.HANDLES)
          .setRelease("0.1.0")
          .build();

  /** A Get. */
  private static final ReadRequest READ =
      Checksums.sealed(
          ReadRequest.newBuilder()
              .setVersion(Protocol.VERSION)
              .setDirectory("/hbase/data/default/t/" + "0".repeat(32) + "/f")
              .addFile("a".repeat(32))
              .addFile("b".repeat(32))
              .setReadPoint(1_000_000)
              .addRange(
                  RowRange.newBuilder()
                      .setStartRow(ByteString.copyFrom(ROW))
                      .setStopRow(ByteString.copyFrom(ROW))
                      .setIncludeStop(true))
              .addColumn(ByteString.copyFromUtf8("q"))
              .setMaxBytes(64 << 10)
              .setTrimVersions(2)
              .setPack(true)
              .build());

  private static final byte[] BATCH = batch();

  private static final ReadResponse ANSWER =
      Checksums.sealed(
          ReadResponse.newBuilder()
              .setCode(Code.OK)
              .setCellCount(2)
              .setCells(ByteString.copyFrom(BATCH))
              .setLoadPercent(50)
              .addBlockCell(0)
              .addBlockBytes(65_536)
              .setAsked(READ.getCrc32C())
              .build());

  private static final CompactRequest COMPACTION =
      MessageChecksum.sealed(
          CompactRequest.newBuilder()
              .setVersion(Protocol.VERSION)
              .setAttempt("0123456789abcdef".repeat(2))
              .setRegionServer("rs,16020,1")
              .setTable(ByteString.copyFromUtf8("table"))
              .setRegion(ByteString.copyFromUtf8("region"))
              .addFile("a".repeat(32))
              .setMajor(true)
              .setAllFiles(true)
              .setReadPoint(7)
              .setNow(1_700_000_000_000L)
              .addSetting(Entry.newBuilder().setKey("hbase.hstore.k").setValue("v"))
              .setBytes(1 << 30)
              .setLeaseMillis(20_000)
              .setPressure(0.5)
              .build());

  private static final ProgressResponse PROGRESS =
      MessageChecksum.sealed(
          ProgressResponse.newBuilder()
              .setState(CompactionState.DONE)
              .setCells(1000)
              .setTotalCells(2000)
              .addOutput("f/" + "c".repeat(32))
              .build());

  private static final PlaceRequest PLACE =
      MessageChecksum.sealed(
          PlaceRequest.newBuilder()
              .setVersion(Protocol.VERSION)
              .setTicket("1")
              .setStore("t,,1/f")
              .setBytes(1 << 20)
              .build());

  /** A put of the newer file, and a delete marker of the older one with a gap behind it. */
  private static byte[] batch() {
    byte[] family = Bytes.toBytes("f");
    KeyValue put = new KeyValue(ROW, family, Bytes.toBytes("q"), 2, Bytes.toBytes("value"));
    put.setSequenceId(300);
    KeyValue marker =
        new KeyValue(ROW, family, Bytes.toBytes("q"), 1, KeyValue.Type.DeleteColumn, new byte[0]);
    CellBatch.Encoder encoder = new CellBatch.Encoder(16);
    encoder.add(1, put);
    encoder.add(0, marker);
    encoder.markGap(CellBatch.Gap.COLUMN);
    return Arrays.copyOf(encoder.array(), encoder.size());
  }

  private static List<String> wireForm() throws IOException {
    List<String> lines = new ArrayList<>();
    for (FileDescriptor file : FILES) {
      file.getMessageTypes().forEach(message -> message.getFields().forEach(f -> add(lines, f)));
      for (EnumDescriptor each : file.getEnumTypes()) {
        each.getValues()
            .forEach(
                value ->
                    lines.add(each.getName() + "." + value.getName() + " = " + value.getNumber()));
      }
      for (ServiceDescriptor service : file.getServices()) {
        service
            .getMethods()
            .forEach(
                call ->
                    lines.add(
                        call.getFullName()
                            + ": "
                            + call.getInputType().getName()
                            + " -> "
                            + call.getOutputType().getName()));
      }
    }
    Configuration conf = new Configuration(false);
    lines.add(
        "daemons: " + Protocol.daemonsZNode(conf) + "/" + Registration.nodeName(REGISTRATION));
    lines.add("manager: " + Protocol.managerZNode(conf));
    bytes().forEach((name, bytes) -> lines.add(name + ": " + HexFormat.of().formatHex(bytes)));
    return lines;
  }

  private static void add(List<String> lines, FieldDescriptor field) {
    FieldDescriptorProto form = field.toProto();
    String type =
        form.hasTypeName()
            ? form.getTypeName().replaceFirst(".*\\.", "")
            : form.getType().name().replace("TYPE_", "").toLowerCase(Locale.ROOT);
    lines.add(
        field.getContainingType().getName()
            + "."
            + field.getName()
            + " = "
            + field.getNumber()
            + " "
            + form.getLabel().name().replace("LABEL_", "").toLowerCase(Locale.ROOT)
            + " "
            + type
            + (field.isPacked() ? " packed" : "")
            + (form.hasDefaultValue() ? " default " + form.getDefaultValue() : ""));
  }

  private static Map<String, byte[]> bytes() throws IOException {
    ReadSet set = ReadSet.of(READ);
    Map<String, byte[]> bytes = new LinkedHashMap<>();
    bytes.put("a registration", REGISTRATION.toByteArray());
    bytes.put("a read that tells its handle", set.taughtBy(READ).toByteArray());
    bytes.put("the read in its short form", set.shortened(READ).toByteArray());
    bytes.put("its answer", ANSWER.toByteArray());
    // What Zstandard makes of it may change with its version, and is its own to read.
    bytes.put("its cells, packed", PackedCells.pack(BATCH, BATCH.length, ROW));
    bytes.put("a compaction", COMPACTION.toByteArray());
    bytes.put("its progress", PROGRESS.toByteArray());
    bytes.put("a question to the manager", PLACE.toByteArray());
    return bytes;
  }

  @Test
  void theReleaseBeforeUnderstandsThisOne() throws IOException {
    List<String> now = wireForm();
    if (Files.exists(GOLDEN)) {
      assertThat(now)
          .as("releases of version %d; what they share does not change", Protocol.VERSION)
          .containsAll(Files.readAllLines(GOLDEN));
    }
    if ("write".equals(System.getProperty("ishbase.golden"))) {
      Files.write(GOLDEN, now);
    }
    assertThat(now).isEqualTo(Files.readAllLines(GOLDEN));
  }

  /** What is new comes last, as it does where it is unknown: so both ends compute one checksum. */
  @Test
  void newFieldsHaveTheHighestNumbers() {
    for (FileDescriptor file : FILES) {
      for (Descriptor message : file.getMessageTypes()) {
        assertThat(message.getFields().stream().map(FieldDescriptor::getNumber).sorted().toList())
            .as(message.getName())
            .isEqualTo(IntStream.rangeClosed(1, message.getFields().size()).boxed().toList());
      }
    }
  }

  static Stream<Message> sealed() {
    return Stream.of(READ, ReadSet.of(READ).taughtBy(READ), ANSWER, COMPACTION, PROGRESS, PLACE);
  }

  private static Message withOneMore(Message message) {
    return message.toBuilder()
        .setUnknownFields(
            UnknownFieldSet.newBuilder()
                .addField(999, UnknownFieldSet.Field.newBuilder().addVarint(1).build())
                .build())
        .build();
  }

  private static Message resealed(Message message) {
    Message open =
        message.toBuilder()
            .clearField(message.getDescriptorForType().findFieldByName("crc32c"))
            .build();
    return open instanceof ReadRequest read
        ? Checksums.sealed(read)
        : open instanceof ReadResponse answer
            ? Checksums.sealed(answer)
            : MessageChecksum.sealed(open);
  }

  @ParameterizedTest
  @MethodSource("sealed")
  void aFieldOfTheNextReleaseHurtsNobody(Message message) throws IOException {
    Message next = resealed(withOneMore(message));
    Message read = message.getParserForType().parseFrom(next.toByteArray());
    assertThat(read.toByteArray()).isEqualTo(next.toByteArray());
    assertThat(
            read instanceof ReadRequest request
                ? Checksums.isIntact(request)
                : read instanceof ReadResponse answer
                    ? Checksums.isIntact(answer)
                    : MessageChecksum.isIntact(read))
        .isTrue();
  }

  @Test
  void aRegistrationOfTheNextReleaseIsSound() throws IOException {
    DaemonInfo next = DaemonInfo.parseFrom(withOneMore(REGISTRATION).toByteArray());
    assertThat(Registration.fault(Registration.nodeName(next), next)).isNull();
    assertThat(next.getVersion()).isEqualTo(Protocol.VERSION);
  }
}
