package io.ishbase.dist.packaging;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.SortedMap;

/** The bill of materials of a release, in CycloneDX's JSON: each bundled jar, with its hashes. */
final class Sbom {
  private static final ObjectMapper JSON =
      new ObjectMapper()
          .enable(SerializationFeature.INDENT_OUTPUT)
          .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS);

  private final ResolvedDependencies resolved;
  private final String version;
  private final Instant time;

  Sbom(ResolvedDependencies resolved, String version, Instant time) {
    this.resolved = resolved;
    this.version = version;
    this.time = time;
  }

  /**
   * The bill as text.
   *
   * @param jars what is bundled, and the file of each
   */
  String of(SortedMap<Dependency, Path> jars) throws IOException {
    ObjectNode bill = JSON.createObjectNode();
    bill.put("bomFormat", "CycloneDX");
    bill.put("specVersion", resolved.specVersion());
    bill.put("version", 1);
    ObjectNode metadata = bill.putObject("metadata");
    metadata.put("timestamp", time.toString());
    ObjectNode release = metadata.putObject("component");
    release.put("type", "application");
    release.put("bom-ref", "ishbase@" + version);
    release.put("name", "ishbase");
    release.put("version", version);
    ArrayNode components = bill.putArray("components");
    ArrayNode edges = bill.putArray("dependencies");
    ArrayNode all = edges.addObject().put("ref", "ishbase@" + version).putArray("dependsOn");
    for (Map.Entry<Dependency, Path> jar : jars.entrySet()) {
      components.add(component(jar.getKey(), jar.getValue()));
      all.add(jar.getKey().ref());
      ArrayNode needed = edges.addObject().put("ref", jar.getKey().ref()).putArray("dependsOn");
      resolved.needs(jar.getKey()).stream()
          .filter(ref -> jars.keySet().stream().anyMatch(each -> each.ref().equals(ref)))
          .sorted()
          .forEach(needed::add);
    }
    return JSON.writeValueAsString(bill) + "\n";
  }

  // Hashes are those of the file that is bundled, not of what the build saw before it made it.
  private static JsonNode component(Dependency dependency, Path jar) throws IOException {
    ObjectNode component = dependency.component().deepCopy();
    ArrayNode hashes = component.putArray("hashes");
    for (String algorithm : Checksums.ALGORITHMS) {
      hashes.addObject().put("alg", algorithm).put("content", Checksums.of(algorithm, jar));
    }
    return component;
  }
}
