package io.ishbase.core.cache;

/**
 * The state of a store's files when a read chose those that it reads. Taken before them, or under
 * the same lock as their list.
 */
public final class Ticket {
  final long changes;
  final long rewrites;

  Ticket(long changes, long rewrites) {
    this.changes = changes;
    this.rewrites = rewrites;
  }
}
