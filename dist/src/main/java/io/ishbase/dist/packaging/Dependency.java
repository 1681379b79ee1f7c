package io.ishbase.dist.packaging;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * An artifact that Maven resolved.
 *
 * @param ref what names it in the bill of materials that it stands in
 * @param jar the name of its file in a repository
 * @param component all that the bill of materials says of it
 */
record Dependency(String ref, String group, String name, String jar, JsonNode component)
    implements Comparable<Dependency> {
  private static final String OURS = "io.ishbase";
  private static final String CLASSIFIER = "classifier=";

  static Dependency of(JsonNode component) {
    String ref = component.path("bom-ref").asText();
    String name = component.path("name").asText();
    String classifier =
        Arrays.stream(ref.substring(ref.indexOf('?') + 1).split("&"))
            .filter(qualifier -> qualifier.startsWith(CLASSIFIER))
            .map(qualifier -> "-" + qualifier.substring(CLASSIFIER.length()))
            .findFirst()
            .orElse("");
    return new Dependency(
        ref,
        component.path("group").asText(),
        name,
        name + "-" + component.path("version").asText() + classifier + ".jar",
        component);
  }

  boolean isOurs() {
    return group.equals(OURS);
  }

  /** Group and name, as {@code org.apache.hbase:hbase-server}. */
  String id() {
    return group + ":" + name;
  }

  /** The name of its file in a release: ours say there whose they are. */
  String releasedJar() {
    return isOurs() ? "ishbase-" + jar : jar;
  }

  /** Its licences by identifier or name, with their addresses where these are known. */
  List<String> licences() {
    List<String> licences = new ArrayList<>();
    for (JsonNode choice : component.path("licenses")) {
      if (choice.has("expression")) {
        licences.add(choice.path("expression").asText());
      } else {
        JsonNode licence = choice.path("license");
        String url = licence.path("url").asText();
        licences.add(
            licence.path("id").asText(licence.path("name").asText())
                + (url.isEmpty() ? "" : " (" + url + ")"));
      }
    }
    return licences;
  }

  @Override
  public int compareTo(Dependency other) {
    return ref.compareTo(other.ref);
  }
}
