package io.ishbase.core;

/** How far a DataNode is from this process, the nearest first. */
public enum Distance {
  /** On this machine. */
  SAME_HOST,

  /** In the same rack. */
  SAME_RACK,

  /** Elsewhere, or nobody knows where. */
  ELSEWHERE
}
