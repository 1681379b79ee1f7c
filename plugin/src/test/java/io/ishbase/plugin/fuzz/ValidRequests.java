package io.ishbase.plugin.fuzz;

import io.ishbase.protocol.Checksums;
import io.ishbase.protocol.MessageChecksum;
import io.ishbase.protocol.Positions;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.ReadSet;
import io.ishbase.protocol.generated.CompactionProtos.CompactRequest;
import io.ishbase.protocol.generated.CompactionProtos.FetchRequest;
import io.ishbase.protocol.generated.CompactionProtos.Held;
import io.ishbase.protocol.generated.CompactionProtos.PlaceRequest;
import io.ishbase.protocol.generated.CompactionProtos.ProgressRequest;
import io.ishbase.protocol.generated.CompactionProtos.Stripes;
import io.ishbase.protocol.generated.CompactionProtos.Windows;
import io.ishbase.protocol.generated.CompactionProtos.WorkRequest;
import io.ishbase.protocol.generated.IssnProtos.AggregateFunction;
import io.ishbase.protocol.generated.IssnProtos.AggregateRequest;
import io.ishbase.protocol.generated.IssnProtos.DictionaryRequest;
import io.ishbase.protocol.generated.IssnProtos.FilterScope;
import io.ishbase.protocol.generated.IssnProtos.LineRequest;
import io.ishbase.protocol.generated.IssnProtos.MobWish;
import io.ishbase.protocol.generated.IssnProtos.Position;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.RowRange;
import io.ishbase.protocol.generated.IssnProtos.SharedReadRequest;
import io.ishbase.protocol.generated.IssnProtos.ValueType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.ColumnPrefixFilter;
import org.apache.hadoop.hbase.filter.ValueFilter;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.apache.hbase.thirdparty.com.google.protobuf.Message;

/** What a region server sends, of each kind some. */
final class ValidRequests {
  private final FuzzedStore store;
  private final List<ReadRequest> reads = new ArrayList<>();
  private final Map<Long, ReadSet> sets = new HashMap<>();

  ValidRequests(FuzzedStore store) throws IOException {
    this.store = store;
    makeReads();
  }

  private static ByteString row(int row) {
    return ByteString.copyFromUtf8(String.format("row%03d", row));
  }

  private static RowRange one(int row) {
    return RowRange.newBuilder()
        .setStartRow(row(row))
        .setStopRow(row(row))
        .setIncludeStop(true)
        .build();
  }

  private ReadRequest.Builder read() {
    return ReadRequest.newBuilder()
        .setVersion(Protocol.VERSION)
        .setDirectory(store.directory().toUri().getPath())
        .addAllFile(store.files())
        .setReadPoint(Long.MAX_VALUE)
        .setMaxBytes(2000);
  }

  private static Position place(int row) {
    KeyValue cell =
        new KeyValue(
            row(row).toByteArray(), FuzzedStore.FAMILY, Bytes.toBytes("q1"), 4, new byte[0]);
    cell.setSequenceId(2);
    return Positions.atCell(cell, 1);
  }

  private void makeReads() throws IOException {
    ByteString byColumn =
        ByteString.copyFrom(
            ProtobufUtil.toFilter(new ColumnPrefixFilter(Bytes.toBytes("q"))).toByteArray());
    ByteString byVersion =
        ByteString.copyFrom(
            ProtobufUtil.toFilter(
                    new ValueFilter(
                        CompareOperator.GREATER, new BinaryComparator(Bytes.toBytes("a"))))
                .toByteArray());
    RowRange.Builder some = RowRange.newBuilder().setStartRow(row(20)).setStopRow(row(30));
    List<ReadRequest.Builder> drawn =
        List.of(
            read().addRange(one(7)),
            read().addRange(one(8)).addColumn(ByteString.copyFromUtf8("q1")).setTrimVersions(1),
            read().addRange(one(3)).addRange(one(9)).addRange(one(50)).setPack(true),
            read().addRange(some).setMaxRows(3).setCacheBlocks(false),
            read().addRange(RowRange.getDefaultInstance()).setMaxBytes(20_000).setPack(true),
            read().addRange(some).setFrom(place(25)),
            read()
                .addRange(RowRange.newBuilder().setStartRow(row(30)).setStopRow(row(20)))
                .setReversed(true),
            read()
                .addRange(RowRange.newBuilder().setStartRow(row(30)))
                .setReversed(true)
                .setFrom(place(25)),
            read().addRange(some).setFilter(byColumn).setFilterScope(FilterScope.BY_COLUMN),
            read()
                .addRange(some)
                .setFilter(byVersion)
                .setFilterScope(FilterScope.BY_VERSION)
                .setFamilyVersions(2)
                .setMaxVersions(1),
            read()
                .addRange(some)
                .setFilter(byVersion)
                .setFilterScope(FilterScope.BY_ROW)
                .setFamilyVersions(1)
                .setMaxVersions(1),
            read()
                .addRange(some)
                .setMinTimestamp(2)
                .setMaxTimestamp(7)
                .setOldestUnexpired(1)
                .setNoValues(true)
                .setTrimColumns(2),
            read()
                .addRange(some)
                .addColumn(ByteString.copyFromUtf8("q1"))
                .setTrimVersions(1)
                .setTrimBehindColumns(true)
                .setMaxBlockBytes(1),
            read().addRange(some).setMob(MobWish.newBuilder().setVersions(2)));
    drawn.forEach(read -> reads.add(Checksums.sealed(read.build())));
    for (ReadRequest full : List.of(reads.get(0), reads.get(1), reads.get(2))) {
      ReadSet set = ReadSet.of(full);
      sets.put(set.handle(), set);
      reads.add(set.taughtBy(full));
      reads.add(set.shortened(full));
    }
  }

  /** A short form comes behind the full one that tells its handle. */
  List<ReadRequest> reads() {
    return reads;
  }

  List<SharedReadRequest> sharedReads() {
    return List.of(
        SharedReadRequest.newBuilder().addRead(reads.get(0)).addRead(reads.get(1)).build(),
        SharedReadRequest.newBuilder().addAllRead(reads).build());
  }

  List<AggregateRequest> aggregates() {
    ReadRequest read =
        read()
            .addRange(RowRange.newBuilder().setStartRow(row(10)).setStopRow(row(40)))
            .setMaxVersions(1)
            .setFamilyVersions(3)
            .build();
    AggregateRequest.Builder rows =
        AggregateRequest.newBuilder()
            .setRead(Checksums.sealed(read))
            .setFamily(ByteString.copyFrom(FuzzedStore.FAMILY))
            .setFunction(AggregateFunction.ROWS)
            .setTtl(Long.MAX_VALUE)
            .setNow(1000);
    AggregateRequest.Builder most =
        rows.clone()
            .setRead(
                Checksums.sealed(read.toBuilder().addColumn(ByteString.copyFromUtf8("q2")).build()))
            .setFunction(AggregateFunction.MAX)
            .setValueType(ValueType.LONG)
            .addExceptRow(row(11));
    return List.of(MessageChecksum.sealed(rows.build()), MessageChecksum.sealed(most.build()));
  }

  List<Message> small() {
    return List.of(
        LineRequest.newBuilder().setBytes(100).build(),
        DictionaryRequest.newBuilder().setId(17).build());
  }

  /** A compaction of the store's files. */
  CompactRequest compaction(String attempt) {
    return CompactRequest.newBuilder()
        .setVersion(Protocol.VERSION)
        .setAttempt(attempt)
        .setRegionServer("rs,1,1")
        .setTable(ByteString.copyFrom(TableDescriptorBuilder.toByteArray(store.table())))
        .setRegion(ByteString.copyFrom(RegionInfo.toByteArray(store.region())))
        .addAllFile(store.files())
        .setMajor(true)
        .setAllFiles(true)
        .setReadPoint(100)
        .setNow(System.currentTimeMillis())
        .setBytes(10_000)
        .setKeep(true)
        .setLeaseMillis(500)
        .build();
  }

  /** The same of all layouts. */
  List<CompactRequest> compactions(String attempt) {
    CompactRequest plain = compaction(attempt);
    return List.of(
        plain,
        plain.toBuilder()
            .setWindows(Windows.newBuilder().addFrom(Long.MIN_VALUE).addFrom(3))
            .build(),
        plain.toBuilder()
            .setStripes(
                Stripes.newBuilder()
                    .addBoundary(ByteString.EMPTY)
                    .addBoundary(row(30))
                    .addBoundary(ByteString.EMPTY))
            .build());
  }

  List<Message> aboutCompactions(String attempt) {
    return List.of(
        ProgressRequest.newBuilder()
            .setVersion(Protocol.VERSION)
            .setAttempt(attempt)
            .setWaitMillis(1)
            .setPressure(0.5)
            .build(),
        ProgressRequest.newBuilder()
            .setVersion(Protocol.VERSION)
            .setAttempt(attempt)
            .setCancel(true)
            .build(),
        WorkRequest.newBuilder().setVersion(Protocol.VERSION).build(),
        FetchRequest.newBuilder()
            .setVersion(Protocol.VERSION)
            .setFile("0".repeat(32))
            .setOffset(0)
            .setMaxBytes(1000)
            .build());
  }

  PlaceRequest place(String ticket) {
    return PlaceRequest.newBuilder()
        .setVersion(Protocol.VERSION)
        .setTicket(ticket)
        .setStore("t/r/f")
        .setBytes(1000)
        .addHeld(Held.newBuilder().setWorker("node1,1,1").setBytes(500))
        .setPressure(0.3)
        .setDeletes(0.1)
        .addAvoided("node2,1,1")
        .build();
  }

  /** The request with the checksum that it should have, where it can have one. */
  Message sealed(Message request, Random random) {
    if (!request.isInitialized()) {
      return request;
    }
    if (request instanceof ReadRequest read) {
      return sealed(read, random);
    }
    if (request instanceof SharedReadRequest shared) {
      SharedReadRequest.Builder sealed = shared.toBuilder();
      for (int i = 0; i < shared.getReadCount(); i++) {
        sealed.setRead(i, sealed(shared.getRead(i), random));
      }
      return sealed.build();
    }
    if (request instanceof AggregateRequest aggregate) {
      return MessageChecksum.sealed(
          aggregate.toBuilder().setRead(sealed(aggregate.getRead(), random)).build());
    }
    return request.getDescriptorForType().findFieldByName("crc32c") == null
        ? request
        : MessageChecksum.sealed(request);
  }

  private ReadRequest sealed(ReadRequest read, Random random) {
    if (ReadSet.isShort(read)) {
      ReadSet set = sets.get(read.getHandle());
      return set == null
          ? read
          : read.toBuilder().setCrc32C(Checksums.sealed(set.expanded(read)).getCrc32C()).build();
    }
    ReadRequest full = Checksums.sealed(read.toBuilder().clearHandle().build());
    return !read.hasHandle()
        ? full
        : random.nextInt(3) > 0
            ? ReadSet.of(full).taughtBy(full)
            : full.toBuilder().setHandle(read.getHandle()).build();
  }
}
