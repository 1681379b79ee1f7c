package io.ishbase.dist.site;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.commonmark.ext.heading.anchor.IdGenerator;
import org.commonmark.node.Heading;
import org.commonmark.node.Node;
import org.commonmark.renderer.text.TextContentRenderer;

/** One page: its source and headings, by the ids that links to them name, and its text by these. */
final class DocPage {
  private static final TextContentRenderer TEXT = TextContentRenderer.builder().build();

  private final Path source;
  private final Node document;
  private final Map<Heading, String> ids = new HashMap<>();
  private final List<Section> sections = new ArrayList<>();
  private String title = "";

  /**
   * What lies between two headings.
   *
   * @param link to it, from the beginning of the site
   * @param title of the page, and the heading
   */
  record Section(String link, String title, String text) {}

  /**
   * @param source its path in the source tree
   */
  DocPage(Path source, Node document) {
    this.source = source;
    this.document = document;
    IdGenerator generator = IdGenerator.builder().build();
    StringBuilder text = new StringBuilder();
    String heading = "";
    String id = "";
    for (Node node = document.getFirstChild(); node != null; node = node.getNext()) {
      String content = TEXT.render(node).strip();
      if (node instanceof Heading each) {
        addSection(id, heading, text);
        heading = content;
        id = generator.generateId(content);
        ids.put(each, id);
        title = title.isEmpty() ? content : title;
      } else {
        text.append(content).append('\n');
      }
    }
    addSection(id, heading, text);
  }

  private void addSection(String id, String heading, StringBuilder text) {
    if (!heading.isEmpty() || text.length() > 0) {
      String link = file().toString().replace('\\', '/') + (id.isEmpty() ? "" : "#" + id);
      String name = heading.equals(title) ? title : title + ": " + heading;
      sections.add(new Section(link, name, text.toString().strip()));
      text.setLength(0);
    }
  }

  Path source() {
    return source;
  }

  /** Its path in the site. */
  Path file() {
    String name = source.getFileName().toString();
    String html = name.equals("README.md") ? "index.html" : name.replaceFirst("\\.md$", ".html");
    return source.resolveSibling(html);
  }

  Node document() {
    return document;
  }

  /** Its first heading. */
  String title() {
    return title;
  }

  /** The ids of its headings, as GitHub makes them. */
  Map<Heading, String> ids() {
    return ids;
  }

  boolean hasId(String id) {
    return ids.containsValue(id);
  }

  List<Section> sections() {
    return sections;
  }
}
