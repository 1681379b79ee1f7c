package io.ishbase.plugin.node;

import io.ishbase.core.Reason;
import io.ishbase.core.Wait;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.protocol.Dictionary;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a read request, on its way. It fails with a {@link DaemonException}. Who waits for
 * it does so in steps ({@link Wait}), on its own thread. As it is here, it is waited for until it
 * ends.
 */
public class ReadCall extends CompletableFuture<ReadResponse> {
  /** When the answer came, or the call failed; 0: it has not. */
  private volatile long endedMillis;

  @Override
  public boolean complete(ReadResponse answer) {
    ends();
    return super.complete(answer);
  }

  @Override
  public boolean completeExceptionally(Throwable failure) {
    ends();
    return super.completeExceptionally(failure);
  }

  private void ends() {
    if (!isDone()) {
      endedMillis = EnvironmentEdgeManager.currentTime();
    }
  }

  /** When the answer came, or the call failed: who sent it ahead looks much later. Else, now. */
  public final long endedMillis() {
    long ended = endedMillis;
    return ended == 0 ? EnvironmentEdgeManager.currentTime() : ended;
  }

  /**
   * Waits for the answer, at the longest until the deadline.
   *
   * @throws DaemonException if none came
   */
  public final ReadResponse await() throws IOException {
    Wait wait = beginWait();
    while (!isDone()) {
      if (step(this, wait)) {
        askAgain(wait);
      }
    }
    return answer();
  }

  /**
   * Waits until the answer, or another that is waited for as well, has come or failed, for no
   * longer than a step, and looks what to make of it if it has not.
   *
   * @param any ends with the first of them
   * @return whether the answer has become late
   */
  public final boolean step(Future<?> any, Wait wait) throws IOException {
    long start = System.nanoTime();
    try {
      any.get(wait.stepNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException | CancellationException e) {
      // The one that has failed says why.
    } catch (TimeoutException e) {
      wait.stepped(System.nanoTime() - start, answers());
      if (wait.isSilent()) {
        silent();
      } else if (wait.asksForSign()) {
        askForSign();
      }
      if (wait.isUnanswered()) {
        doubt();
      }
      if (wait.isLate()) {
        InStorageMetrics.get().late();
      }
      return wait.isLate();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Interrupted while waiting for a storage daemon");
    }
    return false;
  }

  /**
   * The answer of a call that is done.
   *
   * @throws DaemonException if it has failed
   */
  public final ReadResponse answer() throws DaemonException {
    try {
      return join();
    } catch (RuntimeException e) {
      throw e.getCause() instanceof DaemonException known
          ? known
          : new DaemonException(Reason.NO_ANSWER, e.getCause());
    }
  }

  /** Its reader begins to wait. */
  public Wait beginWait() {
    return new Wait(Long.MAX_VALUE, Long.MAX_VALUE, 0, 0);
  }

  /** How many answers the daemon has given to anybody. */
  protected long answers() {
    return 0;
  }

  /** Asks the daemon for a sign of life; does not wait. */
  protected void askForSign() {}

  /** The daemon has answered nobody for a while: others ask another one first. */
  protected void doubt() {}

  /** The daemon answers nobody: the call fails. */
  protected void silent() {}

  /**
   * The answer is late, and the same daemon may be asked again.
   *
   * @return whether it was
   */
  public boolean askAgain(Wait wait) {
    return false;
  }

  /**
   * The answer is late: whether the read, which was not sent yet, will not be sent, so that another
   * daemon may be asked in this one's place. The call then never ends by itself.
   */
  public boolean withdraw() {
    return false;
  }

  /** The answer is late: whether another daemon may be asked for it too. */
  public boolean mayGoElsewhere() {
    return false;
  }

  /**
   * The answer is late: whether HBase's own path may be taken. If not, it may become late again.
   */
  public boolean mayGoHome(Wait wait) {
    return mayGoElsewhere();
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
