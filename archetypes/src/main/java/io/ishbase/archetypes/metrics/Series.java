package io.ishbase.archetypes.metrics;

import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What is measured, a metric, and of what, its tags. Two series are the same if metric and tags
 * are, in whatever order the tags were named.
 *
 * @param metric 1 to 255 bytes of UTF-8
 * @param tags up to 16, by their keys in the order of Java's strings; keys have 1 to 128 bytes of
 *     UTF-8, values 1 to 255
 */
public record Series(String metric, SortedMap<String, String> tags) {
  static final int MAX_TEXT_BYTES = 255;
  static final int MAX_KEY_BYTES = 128;
  static final int MAX_TAGS = 16;

  /**
   * A series.
   *
   * @throws IllegalArgumentException if metric or tags are not as said above
   */
  public Series {
    checkText("metric", metric, MAX_TEXT_BYTES);
    if (tags.size() > MAX_TAGS) {
      throw new IllegalArgumentException(
          "A series of %s has %d tags; %d are allowed".formatted(metric, tags.size(), MAX_TAGS));
    }
    tags = Collections.unmodifiableSortedMap(new TreeMap<>(Map.copyOf(tags)));
    tags.forEach(
        (key, value) -> {
          checkText("key of a tag", key, MAX_KEY_BYTES);
          checkText("value of the tag " + key, value, MAX_TEXT_BYTES);
        });
  }

  /**
   * The series of {@code metric} with tags in the order key, value, key, value.
   *
   * @throws IllegalArgumentException if it is not one, or a key comes twice
   */
  public static Series of(String metric, String... tags) {
    if (tags.length % 2 != 0) {
      throw new IllegalArgumentException("A tag of " + metric + " has a key and no value");
    }
    SortedMap<String, String> map = new TreeMap<>();
    for (int i = 0; i < tags.length; i += 2) {
      if (map.put(tags[i], tags[i + 1]) != null) {
        throw new IllegalArgumentException("Two tags of " + metric + " have the key " + tags[i]);
      }
    }
    return new Series(metric, map);
  }

  /** Throws IllegalArgumentException if {@code text} is empty, too long or not Unicode. */
  static void checkText(String what, String text, int maxBytes) {
    if (text.isEmpty()) {
      throw new IllegalArgumentException("The " + what + " is empty");
    }
    int length;
    try {
      length = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text)).remaining();
    } catch (CharacterCodingException notUnicode) {
      throw new IllegalArgumentException("The " + what + " has half of a character", notUnicode);
    }
    if (length > maxBytes) {
      throw new IllegalArgumentException(
          "The %s has %d bytes; %d are allowed".formatted(what, length, maxBytes));
    }
  }
}
