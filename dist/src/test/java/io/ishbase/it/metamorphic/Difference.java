package io.ishbase.it.metamorphic;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * An answer that is not the stock configuration's.
 *
 * @param line the operation's number in the file, from 0
 * @param operation what was asked
 * @param configuration whose answer it is
 * @param options of that configuration
 * @param expected the stock configuration's
 * @param found the answer
 * @param again what the same read gave a second time; null: it was no read
 * @param stock what HBase's own path gave over the same files; null: it was no read
 */
record Difference(
    int line,
    Line operation,
    String configuration,
    Map<String, String> options,
    Answer expected,
    Answer found,
    Answer again,
    Answer stock) {

  /** Whether HBase's own path gives what was found: then it is HBase that contradicts itself. */
  boolean isOfStock() {
    return found.equals(stock);
  }

  /** Whether both are of one kind, so that a shorter file shows the same fault. */
  boolean isLike(Difference other) {
    return operation.verb().equals(other.operation.verb())
        && isOfStock() == other.isOfStock()
        && found.isRefused() == other.found.isRefused()
        && expected.isRefused() == other.expected.isRefused();
  }

  @Override
  public String toString() {
    return "operation "
        + (line + 1)
        + ": "
        + operation
        + "\nconfiguration "
        + configuration
        + OperationFile.text(options)
        + "\n"
        + compared()
        + (again == null ? "" : "\nthe same again: " + (again.equals(found) ? "the same" : again))
        + (stock == null
            ? ""
            : "\nHBase's own path over the same files: "
                + (isOfStock()
                    ? "the same as found, so HBase contradicts itself"
                    : stock.equals(expected) ? "as expected" : stock));
  }

  private String compared() {
    List<String> wanted = expected.toString().lines().toList();
    List<String> got = found.toString().lines().toList();
    return IntStream.range(0, Math.max(wanted.size(), got.size()))
        .filter(i -> i >= wanted.size() || i >= got.size() || !wanted.get(i).equals(got.get(i)))
        .limit(5)
        .mapToObj(
            i ->
                "expected, line "
                    + (i + 1)
                    + ": "
                    + (i < wanted.size() ? wanted.get(i) : "no more")
                    + "\nfound, line "
                    + (i + 1)
                    + ":    "
                    + (i < got.size() ? got.get(i) : "no more"))
        .collect(Collectors.joining("\n"));
  }
}
