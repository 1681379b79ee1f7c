package io.ishbase.archetypes.document;

/**
 * What {@link DocumentStore#mend} found.
 *
 * @param entries entries of the index that were looked at
 * @param documents documents that were looked at
 * @param removed entries to which no document corresponded
 * @param added entries that documents had been without
 */
public record Mended(long entries, long documents, long removed, long added) {}
