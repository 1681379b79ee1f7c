package io.ishbase.sim.workload;

/** Requests one after the other, drawn or recorded. */
public interface RequestStream {
  /** What a client asks for. */
  enum Kind {
    GET,
    SCAN,
    PUT
  }

  /** Goes to the next request; false if there is none. */
  boolean next();

  Kind kind();

  /** The row asked for, or at which a Scan begins. */
  int key();

  /** Rows: Next()s of a Scan, else 1. */
  int rows();
}
