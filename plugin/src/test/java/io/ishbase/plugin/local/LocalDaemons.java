package io.ishbase.plugin.local;

import io.ishbase.core.Reason;
import io.ishbase.daemon.InProcessReads;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.plugin.node.DaemonException;
import io.ishbase.plugin.node.ReadCall;
import io.ishbase.plugin.node.ReadClient;
import io.ishbase.plugin.node.SentReads;
import io.ishbase.protocol.CellBatch;
import io.ishbase.protocol.Checksums;
import io.ishbase.protocol.MessageChecksum;
import io.ishbase.protocol.Positions;
import io.ishbase.protocol.ReadSet;
import io.ishbase.protocol.generated.IssnProtos.AggregateRequest;
import io.ishbase.protocol.generated.IssnProtos.AggregateResponse;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.Position;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import io.ishbase.protocol.generated.IssnProtos.RowRange;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.ipc.RpcCall;
import org.apache.hadoop.hbase.ipc.RpcServer;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;

/**
 * Storage daemons within the process: the real scan service, called at once, without network. Keeps
 * what was asked and answered, and fails when told to. For one thread at a time.
 */
final class LocalDaemons implements ReadClient {
  /** How an answer fails. */
  enum Fault {
    NONE,
    /** As it should be, but its time is over as soon as it has begun. */
    HURRIED,
    BUSY,
    TIMEOUT,
    UNREACHABLE,
    SILENT,
    STOPPING,
    VERSION,
    REFUSED,
    NO_FILE,
    UNSUPPORTED,
    CORRUPT,
    FAILED,
    FILTER,
    FILTER_FAILED,
    /** A bit of the cells has flipped. */
    FLIPPED,
    /** Its checksum is right, but it has fewer cells than it says. */
    LYING,
    /** As it should be, but the rest begins at a place that is none. */
    NOWHERE,
    /** As it should be, but the rest begins with its last cell; sound if it is packed. */
    AGAIN,
    /** There are no cells, and the rest begins ahead of all that was asked for. */
    BACKWARDS,
    /** It says that the newest file is corrupt. */
    NEWEST_CORRUPT,
    /** As it should be, and a cell of a row behind all that was asked for. */
    BEYOND,
    /** A cell that is much longer than anybody has asked for. */
    HUGE,
    /** Sound in all that can be checked, but a value is another. */
    WRONG_VALUE,
    /** Sound in all that can be checked, but the first row is not there. */
    ROW_LOST,
    /** Sound in all that can be checked, but the first row lacks its last cell. */
    CELL_LOST,
    /** Sound in all that can be checked, but the last cell stands there once more, older. */
    CELL_MORE,
    /** As it should be, but for each of two cells all that can be said was read. */
    BLOCKS,
    /** It has forgotten all handles; so told what is read, it answers. */
    FORGOTTEN,
    /** It answers what it would to the same read of other files, or of another time. */
    OTHERS_HANDLE
  }

  /** One request and its answer; null: there was none. */
  record Exchange(ServerName daemon, ReadRequest request, ReadResponse response) {}

  /** Something that happens. */
  interface Event {
    void happen() throws Exception;
  }

  private final InProcessReads service;
  private final SentReads sent = new SentReads();
  private final List<Exchange> exchanges = new ArrayList<>();
  private final Deque<Fault> faults = new ArrayDeque<>();
  private Consumer<ServerName> answered = daemon -> {};
  private Event during;
  private Lie lie;
  private boolean packs;

  LocalDaemons(InProcessReads service) {
    this.service = service;
  }

  /** What is said instead of the truth. */
  interface Lie {
    /**
     * What comes as the answer.
     *
     * @param request in full
     */
    ReadResponse told(ReadRequest request, ReadResponse truth);

    /** What comes as the answer to an aggregate. */
    AggregateResponse told(AggregateRequest request, AggregateResponse truth);
  }

  /** From now on all answers are what {@code newLie} makes of them; null: the truth. */
  void tell(Lie newLie) {
    lie = newLie;
  }

  /** All answers come packed from now on, those that gain by it. */
  void pack() {
    packs = true;
  }

  /** Calls {@code listener} with the daemon after each answer. */
  void afterEach(Consumer<ServerName> listener) {
    answered = listener;
  }

  /** What the next answers are like; those after them are sound. */
  void next(Fault... next) {
    faults.addAll(List.of(next));
  }

  /** Does {@code event} once, while a daemon is asked the next time. */
  void duringNext(Event event) {
    during = event;
  }

  /** What was asked since this was called last. */
  List<Exchange> taken() {
    during = null;
    List<Exchange> taken = List.copyOf(exchanges);
    exchanges.clear();
    faults.clear();
    return taken;
  }

  @Override
  public ReadCall read(ServerName daemon, ReadRequest request) {
    Event event = during;
    during = null;
    happen(event);
    ReadCall call = new ReadCall();
    ReadRequest sealed =
        Checksums.sealed(packs ? request.toBuilder().setPack(true).build() : request);
    InStorageMetrics.get().requested(1, sealed.getSerializedSize());
    Fault fault = faults.isEmpty() ? Fault.NONE : faults.remove();
    ReadResponse response = null;
    DaemonException failure = null;
    try {
      response = sent.ask(daemon, sealed, message -> told(sealed, message, fault));
    } catch (DaemonException e) {
      failure = e;
    }
    exchanges.add(new Exchange(daemon, sealed, response));
    answered.accept(daemon);
    if (response == null) {
      call.completeExceptionally(
          failure == null ? new DaemonException(Reason.valueOf(fault.name()), "as told") : failure);
    } else {
      InStorageMetrics.get().answered(response.getCellCount(), response.getSerializedSize(), 1000);
      call.complete(response);
    }
    return call;
  }

  /** How an answer to an aggregate fails. */
  enum AggregateFault {
    NONE,
    TIMEOUT,
    BUSY,
    NO_FILE,
    CORRUPT,
    BAD_REQUEST,
    /** A row more is counted, and its checksum is that of the truth. */
    FLIPPED,
    /** It answers another request. */
    OTHERS,
    /** The rest begins where the request does. */
    BACKWARDS,
    /** The rest begins behind all that was asked for. */
    BEYOND,
    /** The rest begins at a row that is longer than any. */
    TOO_LONG,
    /** Its value is none. */
    NO_VALUE
  }

  /** One request for an aggregate, and how its answer failed. */
  record Aggregate(AggregateRequest request, AggregateFault fault) {}

  private final List<Aggregate> aggregates = new ArrayList<>();
  private final Deque<AggregateFault> aggregateFaults = new ArrayDeque<>();
  private Event afterNextAggregate;

  /** What the next answers to aggregates are like; those after them are sound. */
  void nextAggregates(AggregateFault... next) {
    aggregateFaults.addAll(List.of(next));
  }

  /** Does {@code event} once, behind the next answer to an aggregate. */
  void afterNextAggregate(Event event) {
    afterNextAggregate = event;
  }

  /** What aggregates were asked for since this was called last. */
  List<Aggregate> takenAggregates() {
    List<Aggregate> taken = List.copyOf(aggregates);
    aggregates.clear();
    aggregateFaults.clear();
    afterNextAggregate = null;
    return taken;
  }

  @Override
  public AggregateResponse aggregate(ServerName daemon, AggregateRequest request)
      throws IOException {
    AggregateFault fault =
        aggregateFaults.isEmpty() ? AggregateFault.NONE : aggregateFaults.remove();
    AggregateResponse truth = fault == AggregateFault.TIMEOUT ? null : service.aggregate(request);
    AggregateResponse response =
        truth == null
            ? null
            : lie == null ? answer(request, truth, fault) : lie.told(request, truth);
    aggregates.add(new Aggregate(request, fault));
    // What is asked next is asked of what has changed.
    Event event = afterNextAggregate;
    afterNextAggregate = null;
    happen(event);
    if (response == null) {
      throw new DaemonException(Reason.TIMEOUT, "as told");
    }
    if (!MessageChecksum.isIntact(response)) {
      throw new DaemonException(Reason.BAD_ANSWER, "as told");
    }
    return response;
  }

  private static AggregateResponse answer(
      AggregateRequest request, AggregateResponse sound, AggregateFault fault) {
    RowRange range = request.getRead().getRange(0);
    AggregateResponse.Builder lie = sound.toBuilder();
    switch (fault) {
      case NONE, TIMEOUT -> {
        return sound;
      }
      case FLIPPED -> {
        return lie.setRows(sound.getRows() + 1).build();
      }
      case BUSY, NO_FILE, CORRUPT, BAD_REQUEST ->
          lie.clear().setCode(Code.valueOf(fault.name())).setAsked(request.getCrc32C());
      case OTHERS -> lie.setAsked(sound.getAsked() + 1);
      case BACKWARDS -> lie.setNextRow(range.getStartRow());
      case BEYOND -> {
        if (range.getStopRow().isEmpty()) {
          // Nothing is beyond it, and what is a lie of rows that are there nobody can tell.
          return sound;
        }
        lie.setNextRow(range.getStopRow().concat(ByteString.copyFromUtf8("~")));
      }
      case TOO_LONG ->
          lie.setNextRow(
              range
                  .getStartRow()
                  .concat(ByteString.copyFrom(new byte[HConstants.MAX_ROW_LENGTH + 1])));
      case NO_VALUE -> lie.setValue(ByteString.copyFromUtf8("?"));
    }
    return MessageChecksum.sealed(lie.build());
  }

  private static void happen(Event event) {
    if (event != null) {
      try {
        event.happen();
      } catch (Exception e) {
        throw new AssertionError("What happens meanwhile fails", e);
      }
    }
  }

  private ReadResponse told(ReadRequest request, ReadRequest message, Fault fault) {
    return lie == null ? answer(request, message, fault) : lie.told(request, serve(message));
  }

  /**
   * @param request in full, as whoever lies knows it
   * @param message as it was sent
   */
  private ReadResponse answer(ReadRequest request, ReadRequest message, Fault fault) {
    ReadResponse answer = answerOrLie(request, message, fault);
    return answer == null || answer.hasAsked()
        ? answer
        : lie(answer.toBuilder().setAsked(request.getCrc32C()));
  }

  private ReadResponse answerOrLie(ReadRequest request, ReadRequest message, Fault fault) {
    return switch (fault) {
      case TIMEOUT, UNREACHABLE, SILENT -> null;
      case NONE -> serve(message);
      case HURRIED -> serve(message, service::readBriefly);
      case FLIPPED -> flipped(serve(message));
      case LYING -> {
        ReadResponse sound = serve(message);
        yield Checksums.sealed(
            sound.toBuilder().setCellCount(sound.getCellCount() + 1).clearCrc32C().build());
      }
      case NOWHERE -> lie(serve(message).toBuilder().setNext(place(ByteString.EMPTY)));
      case AGAIN -> again(serve(message));
      case BACKWARDS ->
          lie(
              serve(message).toBuilder()
                  .setCellCount(0)
                  .setCells(ByteString.EMPTY)
                  .setNext(Positions.atKey(PrivateCellUtil.createFirstOnRow(new byte[1]))));
      case NEWEST_CORRUPT ->
          Checksums.sealed(
              ReadResponse.newBuilder()
                  .setCode(Code.CORRUPT)
                  .setFailedFile(request.getFileCount() - 1)
                  .build());
      case FORGOTTEN -> {
        happen(service::forget);
        yield serve(message);
      }
      case OTHERS_HANDLE -> serve(other(request));
      case BEYOND -> beyond(serve(message));
      case WRONG_VALUE, ROW_LOST, CELL_LOST, CELL_MORE -> changed(serve(message), fault);
      case HUGE -> huge(request.getRange(0).getStartRow().toByteArray());
      case BLOCKS -> {
        ReadResponse sound = serve(message);
        yield lie(
            sound.toBuilder()
                .clearBlockCell()
                .clearBlockBytes()
                .addAllBlockCell(List.of(0, sound.getCellCount()))
                .addAllBlockBytes(List.of(Integer.MAX_VALUE, Integer.MAX_VALUE)));
      }
      default ->
          Checksums.sealed(
              ReadResponse.newBuilder()
                  .setCode(Code.valueOf(fault.name()))
                  .setMessage("as told")
                  .build());
    };
  }

  /** The same read of the files in another order; of a single file, at another read point. */
  private static ReadRequest other(ReadRequest request) {
    ReadRequest.Builder other = request.toBuilder().clearCrc32C().clearFile();
    for (int file = request.getFileCount() - 1; file >= 0; file--) {
      other.addFile(request.getFile(file));
    }
    if (request.getFileCount() == 1) {
      other.setReadPoint(request.getReadPoint() / 2);
    }
    ReadRequest sealed = Checksums.sealed(other.build());
    return ReadSet.of(sealed).taughtBy(sealed);
  }

  private static ReadResponse lie(ReadResponse.Builder response) {
    return Checksums.sealed(response.clearCrc32C().build());
  }

  private static Position.Builder place(ByteString key) {
    return Position.newBuilder().setKey(key);
  }

  private static ReadResponse again(ReadResponse sound) {
    if (sound.hasUnpackedBytes()) {
      return sound;
    }
    CellBatch.Decoder cells = new CellBatch.Decoder(sound.getCells().toByteArray());
    Position last = null;
    try {
      while (cells.hasNext()) {
        last = Positions.atCell(cells.next(), cells.file());
      }
    } catch (IOException e) {
      throw new IllegalStateException("Of the real service", e);
    }
    return last == null ? sound : lie(sound.toBuilder().setNext(last));
  }

  /** Of an answer that is not packed and has no gaps. */
  private static ReadResponse changed(ReadResponse sound, Fault fault) {
    CellBatch.Decoder cells = new CellBatch.Decoder(sound.getCells().toByteArray());
    CellBatch.Encoder changed = new CellBatch.Encoder(1024);
    try {
      KeyValue first = null;
      KeyValue last = null;
      KeyValue held = null;
      int file = 0;
      while (cells.hasNext()) {
        last = cells.next();
        file = cells.file();
        first = first == null ? last : first;
        if (held != null && CellUtil.matchingRows(first, last)) {
          changed.add(file, held);
        }
        held = null;
        if (fault == Fault.WRONG_VALUE && last == first) {
          byte[] bytes = last.getBuffer();
          bytes[last.getValueOffset()] ^= 1;
        }
        boolean isOfFirst = CellUtil.matchingRows(first, last);
        if (fault == Fault.CELL_LOST && isOfFirst) {
          held = last;
        } else if (fault != Fault.ROW_LOST || !isOfFirst) {
          changed.add(file, last);
        }
      }
      if (fault == Fault.CELL_MORE && last != null) {
        byte[] qualifier = Bytes.add(CellUtil.cloneQualifier(last), new byte[] {'+'});
        KeyValue more =
            new KeyValue(
                CellUtil.cloneRow(last), CellUtil.cloneFamily(last), qualifier, 1, qualifier);
        changed.add(file, more);
      }
    } catch (IOException e) {
      throw new IllegalStateException("Of the real service", e);
    }
    return lie(
        sound.toBuilder()
            .setCells(ByteString.copyFrom(changed.array(), 0, changed.size()))
            .setCellCount(changed.count())
            .clearBlockCell()
            .clearBlockBytes());
  }

  private static ReadResponse huge(byte[] row) {
    CellBatch.Encoder cell = new CellBatch.Encoder(64);
    byte[] family = {'f'};
    cell.add(0, new KeyValue(row, family, family, 1, new byte[5 << 20]));
    return lie(
        ReadResponse.newBuilder()
            .setCode(Code.OK)
            .setCells(ByteString.copyFrom(cell.array(), 0, cell.size()))
            .setCellCount(1));
  }

  private static ReadResponse beyond(ReadResponse sound) {
    CellBatch.Encoder more = new CellBatch.Encoder(64);
    byte[] last = new byte[] {-1, -1};
    more.add(0, new KeyValue(last, last, last, 1, last));
    ByteString cell = ByteString.copyFrom(more.array(), 0, more.size());
    return lie(
        sound.toBuilder()
            .setCells(sound.getCells().concat(cell))
            .setCellCount(sound.getCellCount() + 1));
  }

  private ReadResponse serve(ReadRequest request) {
    return serve(request, service::read);
  }

  // At a daemon this thread works on no call of a client.
  private static ReadResponse serve(
      ReadRequest request, Function<ReadRequest, ReadResponse> server) {
    Optional<RpcCall> call = RpcServer.unsetCurrentCall();
    try {
      return server.apply(request);
    } finally {
      call.ifPresent(RpcServer::setCurrentCall);
    }
  }

  private static ReadResponse flipped(ReadResponse sound) {
    byte[] cells = sound.getCells().toByteArray();
    if (cells.length == 0) {
      return sound.toBuilder().setCrc32C(sound.getCrc32C() ^ 1).build();
    }
    cells[cells.length / 2] ^= 4;
    return sound.toBuilder().setCells(ByteString.copyFrom(cells)).build();
  }
}
