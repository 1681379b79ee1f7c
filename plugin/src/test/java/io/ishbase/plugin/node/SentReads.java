package io.ishbase.plugin.node;

import io.ishbase.core.Reason;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import java.util.function.Function;
import org.apache.hadoop.hbase.ServerName;

/** Reads as they are sent to daemons that know handles, and what is made of what comes back. */
public final class SentReads {
  private final ToldSets sets = new ToldSets();

  /**
   * Asks a daemon.
   *
   * @param full with its checksum
   * @param answers what the daemon says; null: nothing
   * @return null: it said nothing
   * @throws DaemonException if it answered something else
   */
  public ReadResponse ask(
      ServerName daemon, ReadRequest full, Function<ReadRequest, ReadResponse> answers)
      throws DaemonException {
    ToldSet set = sets.of(daemon, full);
    ReadRequest message = ToldSet.message(set, full, true);
    ReadResponse response = answers.apply(message);
    if (response == null) {
      return null;
    }
    return switch (ToldSet.received(set, message, response)) {
      case ANSWER -> response;
      case UNKNOWN -> ask(daemon, full, answers);
      case OTHERS -> throw new DaemonException(Reason.BAD_ANSWER, "The answer to another read");
    };
  }
}
