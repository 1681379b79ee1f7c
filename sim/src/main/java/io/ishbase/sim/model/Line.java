package io.ishbase.sim.model;

import io.ishbase.sim.engine.Bandwidth;
import io.ishbase.sim.engine.EventLoop;
import io.ishbase.sim.engine.Link;
import io.ishbase.sim.workload.Parameters;

/** The line between region server and storage node, of which each direction has all of it. */
final class Line {
  private final Link in;
  private final Link out;

  /** What it carries during each request of a period; none if that depends on time alone. */
  private final Bandwidth[] byRequest;

  Line(EventLoop loop, Parameters parameters) {
    in = new Link(loop, bandwidth(parameters));
    out = new Link(loop, bandwidth(parameters));
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

  /** From storage. */
  Link in() {
    return in;
  }

  /** To storage. */
  Link out() {
    return out;
  }
}
