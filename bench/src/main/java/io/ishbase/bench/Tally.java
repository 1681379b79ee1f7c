package io.ishbase.bench;

/** What one operation moved between client and cluster; the operation fills it in. */
public final class Tally {
  /** The kind of an operation that does not say. */
  public static final String ANY = "operation";

  private String kind;
  private Moved read;
  private Moved written;

  public Tally() {
    clear();
  }

  /** Forgets everything. */
  public void clear() {
    kind = ANY;
    read = Moved.NOTHING;
    written = Moved.NOTHING;
  }

  /** Names the kind of operation, where a load has several: latencies are kept for each. */
  public void kind(String words) {
    kind = words;
  }

  /** Adds what the client got. */
  public void read(Moved more) {
    read = read.plus(more);
  }

  /** Adds what the client gave. */
  public void wrote(Moved more) {
    written = written.plus(more);
  }

  String kind() {
    return kind;
  }

  public Moved read() {
    return read;
  }

  public Moved written() {
    return written;
  }
}
