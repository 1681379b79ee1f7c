package io.ishbase.core.sizing;

/**
 * One thing that was chosen.
 *
 * @param name a property, a flag or a part of the memory
 * @param value as it is written there
 * @param why the argument for it, one line
 */
public record Choice(String name, String value, String why) {}
