package io.ishbase.core.cache;

import org.jspecify.annotations.Nullable;

/**
 * Rows to fetch together.
 *
 * @param from first row, inclusive
 * @param to exclusive; null: the end of the store
 * @param maxBytes how much to fetch at most
 */
public record Stretch(byte[] from, byte @Nullable [] to, long maxBytes) {}
