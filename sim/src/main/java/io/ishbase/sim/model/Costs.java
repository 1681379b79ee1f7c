package io.ishbase.sim.model;

import io.ishbase.sim.workload.Parameters;

/** What things take, in nanoseconds and bytes. */
record Costs(
    double query,
    double next,
    double put,
    double scan,
    double rpc,
    double cell,
    double block,
    long roundTrip,
    long wal,
    long requestBytes,
    double requestCellBytes,
    long answerBytes,
    double answerCellBytes,
    double packedShare,
    long blockRequestBytes,
    long blockAnswerBytes,
    long queuedRequestBytes,
    long queuedAnswerBytes,
    long putBytes) {
  Costs(Parameters parameters) {
    this(
        parameters.nanos("cpu.query.us"),
        parameters.nanos("cpu.query.us") * parameters.number("cpu.next.share"),
        parameters.nanos("cpu.query.us") * parameters.number("cpu.put.share"),
        parameters.nanos("cpu.scan.us"),
        parameters.nanos("cpu.rpc.us"),
        parameters.nanos("cpu.cell.us"),
        parameters.nanos("cpu.block.us"),
        Math.round(parameters.nanos("round.trip.ms")),
        Math.round(parameters.nanos("put.wal.ms")),
        parameters.whole("request.bytes"),
        parameters.number("request.cell.bytes"),
        parameters.whole("answer.bytes"),
        parameters.number("answer.cell.bytes"),
        parameters.number("answer.packed.share"),
        parameters.whole("block.request.bytes"),
        parameters.whole("block.answer.bytes"),
        parameters.whole("queued.request.bytes"),
        parameters.whole("queued.answer.bytes"),
        parameters.whole("cell.bytes") + parameters.whole("put.more.bytes"));
  }

  /** Bytes of a request, for a block if it is for no cells. */
  long request(boolean ofBlock, int cells) {
    return ofBlock ? blockRequestBytes : requestBytes + Math.round(cells * requestCellBytes);
  }

  /** Bytes of an answer with so many bytes of block or cells. */
  long answer(boolean ofBlock, int cells, long bytes) {
    return ofBlock
        ? bytes + blockAnswerBytes
        : answerBytes + Math.round(bytes * packedShare + cells * answerCellBytes);
  }

  /** Processor time at the storage node. */
  double work(boolean ofBlock, int cells) {
    return rpc + (ofBlock ? block : cells * cell);
  }
}
