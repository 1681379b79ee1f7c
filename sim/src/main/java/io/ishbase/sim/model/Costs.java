package io.ishbase.sim.model;

import io.ishbase.sim.workload.Parameters;

/** What things take, in nanoseconds and bytes. */
record Costs(
    double query,
    double rpc,
    double cell,
    long roundTrip,
    long wal,
    long requestBytes,
    long answerBytes,
    long putBytes) {
  Costs(Parameters parameters) {
    this(
        parameters.nanos("cpu.query.us"),
        parameters.nanos("cpu.rpc.us"),
        parameters.nanos("cpu.cell.us"),
        Math.round(parameters.nanos("round.trip.ms")),
        Math.round(parameters.nanos("put.wal.ms")),
        parameters.whole("request.bytes"),
        parameters.whole("answer.bytes"),
        parameters.whole("cell.bytes"));
  }
}
