package io.ishbase.sim.trace;

import io.ishbase.core.trace.TraceEntry;
import io.ishbase.core.trace.TraceEntry.Keys;
import io.ishbase.core.trace.TraceEntry.Operation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads Twitter's cache traces (Yang et al., OSDI 2020): {@code time,key,key size,value
 * size,client,operation,TTL}, with times in seconds.
 */
final class TwitterTrace extends LineTrace {
  private static final int BEHIND_KEY = 5;
  private static final String HASHED =
      "keys are anonymized, so which rows lie together is lost: rows share blocks by chance, and a"
          + " design that lives on neighbourhoods shows less than it can";

  TwitterTrace(Path file) throws IOException {
    super(file, "the file is empty: unpack the trace with zstd -d");
  }

  @Override
  @Nullable TraceEntry parse(String line) throws TraceException {
    if (line.isEmpty()) {
      return null;
    }
    // A key may have commas of its own; nothing else has.
    int keyBegin = line.indexOf(',') + 1;
    int keyEnd = line.length();
    for (int i = 0; i < BEHIND_KEY && keyEnd >= 0; i++) {
      keyEnd = line.lastIndexOf(',', keyEnd - 1);
    }
    if (keyBegin == 0 || keyEnd < keyBegin) {
      throw in.wrong(
          "a line has 7 fields with commas between them (time, key, size of the key, size of the"
              + " value, client, operation, TTL)");
    }
    String[] behind = line.substring(keyEnd + 1).split(",", -1);
    long seconds = in.number(line.substring(0, keyBegin - 1), "a time in seconds");
    long keyBytes = in.number(behind[0], "the size of a key");
    long valueBytes = in.number(behind[1], "the size of a value");
    in.number(behind[4], "a TTL");
    Operation operation = operation(behind[3]);
    // A value of 0 bytes is one that was not there.
    boolean isKnown = valueBytes > 0;
    return new TraceEntry(
        inOrder(Math.multiplyExact(Math.min(seconds, Integer.MAX_VALUE), 1_000_000L)),
        operation,
        "",
        line.substring(keyBegin, keyEnd),
        1,
        1,
        isKnown ? keyBytes + valueBytes : TraceEntry.UNKNOWN);
  }

  private Operation operation(String word) throws TraceException {
    switch (word) {
      case "get", "gets":
        return Operation.GET;
      case "set", "add", "replace", "cas", "append", "prepend", "incr", "decr":
        return Operation.PUT;
      case "delete":
        return Operation.DELETE;
      default:
        throw in.wrong("no operation of Twitter's traces: '" + TraceInput.shown(word) + "'");
    }
  }

  @Override
  public Keys keys() {
    return Keys.HASHED;
  }

  @Override
  public List<String> remarks() {
    return List.of(HASHED);
  }
}
