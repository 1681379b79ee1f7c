package io.ishbase.core.cache;

/**
 * The state of a store's files when a fill chose those that it reads. Taken under the same lock as
 * the list of files.
 */
public final class Ticket {
  final long changes;
  final long compactions;

  Ticket(long changes, long compactions) {
    this.changes = changes;
    this.compactions = compactions;
  }
}
