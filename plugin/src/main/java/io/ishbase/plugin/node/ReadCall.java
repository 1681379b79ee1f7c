package io.ishbase.plugin.node;

import io.ishbase.core.Reason;
import io.ishbase.protocol.Dictionary;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** The answer to a read request, on its way. It fails with a {@link DaemonException}. */
public class ReadCall extends CompletableFuture<ReadResponse> {
  /**
   * Waits for the answer, at the longest until the deadline.
   *
   * @throws DaemonException if none came
   */
  public final ReadResponse await() throws IOException {
    try {
      return answer();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof DaemonException known
          ? known
          : new DaemonException(Reason.NO_ANSWER, e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Interrupted while waiting for a storage daemon");
    }
  }

  /** Waits for the answer. */
  protected ReadResponse answer() throws ExecutionException, InterruptedException {
    return get();
  }

  /** With which the answer may be compressed; null: with none. */
  public @Nullable Dictionary dictionary() {
    return null;
  }

  /** Gives up on the answer. */
  public void abandon() {
    cancel(false);
  }
}
