package io.ishbase.sim.compaction;

import io.ishbase.core.compaction.WarmUpMode;
import io.ishbase.sim.engine.EventLoop;

/** The way of a new file from its compaction server to the region server's block cache. */
final class Transfer {
  /** What one answer has at most. */
  private static final long PIECE_BYTES = 2 << 20;

  private final EventLoop loop;
  private final Machine server;
  private final Region region;
  private final boolean isThrottled;
  private final Runnable ended;
  private final EventLoop.Timer next = new EventLoop.Timer(this::send);
  private long left;
  private long piece;

  Transfer(
      EventLoop loop, Machine server, Region region, WarmUpMode mode, long bytes, Runnable ended) {
    this.loop = loop;
    this.server = server;
    this.region = region;
    this.isThrottled = mode == WarmUpMode.THROTTLED;
    this.left = bytes;
    this.ended = ended;
  }

  void goOn() {
    if (left == 0) {
      ended.run();
      return;
    }
    piece = Math.min(PIECE_BYTES, left);
    loop.in(isThrottled ? region.throttle().nanosFor(piece) : 0, next);
  }

  private void send() {
    server.send(region.machine(), piece, this::arrived);
  }

  private void arrived() {
    left -= piece;
    region.brought(piece);
    goOn();
  }
}
