package io.ishbase.plugin.scan;

import io.ishbase.protocol.generated.IssnProtos.Position;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import org.jspecify.annotations.Nullable;

/** Takes what a node scanner receives into the segment cache. Used by the read's thread. */
public interface FillSink {
  /**
   * An answer came: all that the request's files hold in its range from a place on, but for what
   * has expired and the batch's gaps.
   *
   * @param from null: from the beginning
   */
  void received(NodeBatch batch, ReadRequest request, @Nullable Position from);

  /** None of the node scanner's files may hold what the read wants. */
  void receivedNothing();

  /** No more answers come, or none that would be whole. Ended before, it stays so. */
  void abandon();
}
