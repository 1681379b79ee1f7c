package io.ishbase.dist.packaging;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * What Maven resolved for this module at run time, and which needs which: the bill of materials in
 * CycloneDX's JSON that the build writes.
 */
final class ResolvedDependencies {
  private final JsonNode bill;
  private final Dependency own;
  private final Map<String, Dependency> byRef = new HashMap<>();
  private final Map<String, List<String>> needs = new HashMap<>();

  private ResolvedDependencies(JsonNode bill) {
    this.bill = bill;
    own = Dependency.of(bill.path("metadata").path("component"));
    byRef.put(own.ref(), own);
    for (JsonNode component : bill.path("components")) {
      Dependency dependency = Dependency.of(component);
      byRef.put(dependency.ref(), dependency);
    }
    for (JsonNode edge : bill.path("dependencies")) {
      List<String> needed = new ArrayList<>();
      edge.path("dependsOn").forEach(ref -> needed.add(ref.asText()));
      needs.put(edge.path("ref").asText(), needed);
    }
  }

  /**
   * Reads a bill of materials.
   *
   * @throws IOException if it is not there, or none
   */
  static ResolvedDependencies read(Path file) throws IOException {
    JsonNode bill = new ObjectMapper().readTree(file.toFile());
    if (!bill.path("bomFormat").asText().equals("CycloneDX") || bill.path("components").isEmpty()) {
      throw new IOException(file + " is no bill of materials: build it anew with mvn package");
    }
    return new ResolvedDependencies(bill);
  }

  /** This module. */
  Dependency own() {
    return own;
  }

  /** What this module names itself. */
  SortedSet<Dependency> direct() {
    return new TreeSet<>(needed(own));
  }

  /**
   * Those that {@code roots} are, and all that they need.
   *
   * @throws IOException if there are no such roots: what they need is not known then
   */
  SortedSet<Dependency> closure(Predicate<Dependency> roots) throws IOException {
    Deque<Dependency> open = new ArrayDeque<>();
    byRef.values().stream().filter(roots).forEach(open::add);
    if (open.isEmpty()) {
      throw new IOException("The build's bill of materials lacks what a release is made of");
    }
    SortedSet<Dependency> closure = new TreeSet<>();
    while (!open.isEmpty()) {
      Dependency next = open.remove();
      if (closure.add(next)) {
        open.addAll(needed(next));
      }
    }
    return closure;
  }

  /** The edges of it, by whose they are. */
  List<String> needs(Dependency dependency) {
    return needs.getOrDefault(dependency.ref(), List.of());
  }

  private List<Dependency> needed(Dependency dependency) {
    return needs(dependency).stream().map(byRef::get).filter(each -> each != null).toList();
  }

  /** The version of CycloneDX that it is written in. */
  String specVersion() {
    return bill.path("specVersion").asText();
  }
}
