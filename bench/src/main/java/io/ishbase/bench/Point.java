package io.ishbase.bench;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Under what something is measured.
 *
 * @param parameters of the load, by name, in the order in which a report shows them
 * @param mbps the cap between compute and storage; 0: none
 * @param links how many times that rate is there: once for each region server in use
 * @param seed what the seed document says of this, in words; empty if nothing
 * @param target what is to be reached, in words; empty if nothing is set
 */
public record Point(
    Map<String, Object> parameters, int mbps, int links, String seed, String target) {
  public Point {
    parameters = Collections.unmodifiableMap(new LinkedHashMap<>(parameters));
  }

  /** A point without parameters or cap. */
  public static Point uncapped() {
    return new Point(Map.of(), 0, 1, "", "");
  }

  /** The same with one parameter more. */
  public Point with(String name, Object value) {
    Map<String, Object> more = new LinkedHashMap<>(parameters);
    more.put(name, value);
    return new Point(more, mbps, links, seed, target);
  }

  /** The same under another cap. */
  public Point at(int otherMbps) {
    return new Point(parameters, otherMbps, links, seed, target);
  }

  /** The same with that many region servers in use, each under a cap of its own. */
  public Point links(int count) {
    return new Point(parameters, mbps, count, seed, target);
  }

  /** The same beside what the seed says. */
  public Point seed(String words) {
    return new Point(parameters, mbps, links, words, target);
  }

  /** The same beside what is to be reached. */
  public Point target(String words) {
    return new Point(parameters, mbps, links, seed, words);
  }

  /** The cap in words. */
  public String cap() {
    return mbps == 0 ? "uncapped" : mbps + " Mbps";
  }

  /** Parameters and cap in words. */
  @Override
  public String toString() {
    StringBuilder words = new StringBuilder();
    parameters.forEach((name, value) -> words.append(name).append(' ').append(value).append(", "));
    return words.append(cap()).toString();
  }
}
