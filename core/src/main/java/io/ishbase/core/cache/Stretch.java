package io.ishbase.core.cache;

/**
 * Rows to fetch together.
 *
 * @param from first row, inclusive
 * @param to exclusive; null: the end of the store
 * @param maxBytes how much to fetch at most
 */
public record Stretch(byte[] from, byte[] to, long maxBytes) {}
