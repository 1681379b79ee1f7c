package io.ishbase.sim.model;

import io.ishbase.sim.engine.Bandwidth;
import io.ishbase.sim.engine.Connection;
import io.ishbase.sim.engine.EventLoop;
import io.ishbase.sim.engine.Link;
import io.ishbase.sim.workload.Parameters;

/**
 * The line between region server and storage node, of which each direction has all of it.
 *
 * <p>Packets have headers, which use the line. What an interface counts is less: a run of packets
 * is one to it, with one header, unless the run is longer than the line's burst and is split.
 */
final class Line {
  /** Bytes that the kernel hands to an interface at once, at most. */
  private static final double LONGEST_RUN = 65_536;

  private final Link in;
  private final Link out;

  /** What it carries during each request of a period; none if that depends on time alone. */
  private final Bandwidth[] byRequest;

  /** Calls of a region server to a daemon share a connection, reads of blocks do not. */
  private final boolean inOrder;

  private final Connection requests;
  private final Connection answers;
  private final double segment;
  private final double header;
  private final double burst;
  private final double splitShare;
  private final double ackSeconds;
  private double countedIn;
  private double countedOut;

  Line(EventLoop loop, Parameters parameters) {
    segment = parameters.number("line.segment.bytes");
    header = parameters.number("line.header.bytes");
    burst = parameters.number("line.burst.bytes");
    splitShare = parameters.number("line.split.share");
    ackSeconds = parameters.nanos("line.ack.us") / 1e9;
    in = new Link(loop, bandwidth(parameters));
    out = new Link(loop, bandwidth(parameters));
    inOrder = parameters.is("line.calls", "in-order");
    requests = new Connection(out);
    answers = new Connection(in);
    byRequest = new Bandwidth[parameters.is("line", "by-request") ? period(parameters) : 0];
    double half = parameters.number("line.mbps") / 2;
    double least = parameters.number("line.least.mbps");
    for (int i = 0; i < byRequest.length; i++) {
      double sine = StrictMath.sin(2 * Math.PI * i / byRequest.length);
      byRequest[i] = Bandwidth.constant(Math.max(least, half * (1 + sine)));
    }
  }

  private static int period(Parameters parameters) {
    return Math.max(1, parameters.whole("line.period.requests"));
  }

  private static Bandwidth bandwidth(Parameters parameters) {
    double mbps = parameters.number("line.mbps");
    return parameters.is("line", "sine")
        ? Bandwidth.sine(mbps, Math.round(parameters.nanos("line.period.seconds")))
        : Bandwidth.constant(mbps);
  }

  /** So many requests have begun before. */
  void requestBegins(long before) {
    if (byRequest.length > 0) {
      Bandwidth now = byRequest[(int) (before % byRequest.length)];
      in.become(now);
      out.become(now);
    }
  }

  /** Sends something to storage, on a connection of its own. */
  void request(Link.Transfer transfer, long bytes) {
    request(transfer, bytes, false);
  }

  /**
   * The same.
   *
   * @param isCall whether it goes with the other calls of the region server
   */
  void request(Link.Transfer transfer, long bytes, boolean isCall) {
    double headers = headers(bytes);
    countedOut += bytes + (isSplit(bytes) ? splitShare * headers : 0);
    long wire = bytes + Math.round(headers);
    if (isCall && inOrder) {
      requests.send(transfer, wire);
    } else {
      out.send(transfer, wire);
    }
  }

  /** Sends something from storage. Runs are acknowledged as they come. */
  void answer(Link.Transfer transfer, long bytes, boolean isCall) {
    double headers = headers(bytes);
    boolean split = isSplit(bytes);
    countedIn += bytes + (split ? splitShare * headers : 0);
    acknowledge(split ? acksOfSplit(bytes) : acksOfWhole(bytes));
    long wire = bytes + Math.round(headers);
    if (isCall && inOrder) {
      answers.send(transfer, wire);
    } else {
      in.send(transfer, wire);
    }
  }

  private void acknowledge(double acks) {
    if (acks > 0) {
      countedOut += acks * header;
      out.send(new Link.Transfer(() -> {}), Math.round(acks * header));
    }
  }

  /** One for two packets, and for those that come while it is on its way. */
  private double acksOfSplit(long bytes) {
    double packetsMeanwhile = ackSeconds * in.mbps() * 1e6 / (8 * (segment + header));
    return bytes / segment / (2 + packetsMeanwhile);
  }

  /** One for a run; that of a message's last run is part of what its request takes. */
  private double acksOfWhole(long bytes) {
    return burst > 0 && segment > 0 ? Math.max(0, Math.round(bytes / LONGEST_RUN) - 1) : 0;
  }

  /** Headers besides the first, which is part of the message. */
  private double headers(long bytes) {
    return segment == 0 ? 0 : header * Math.max(0, StrictMath.ceil(bytes / segment) - 1);
  }

  private boolean isSplit(long bytes) {
    return burst > 0 && segment > 0 && Math.min(bytes, LONGEST_RUN) > burst;
  }

  /** Whether more than one message is under way in a direction. */
  boolean isQueued() {
    return in.underWay() + answers.waiting() > 1 || out.underWay() + requests.waiting() > 1;
  }

  /** Bytes that an interface counted, from storage. */
  long countedIn() {
    return Math.round(countedIn);
  }

  /** The same to storage. */
  long countedOut() {
    return Math.round(countedOut);
  }

  /** From storage. */
  Link in() {
    return in;
  }

  /** To storage. */
  Link out() {
    return out;
  }
}
