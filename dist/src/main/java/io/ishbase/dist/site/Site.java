package io.ishbase.dist.site;

import io.ishbase.dist.CliException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.hbase.thirdparty.com.google.gson.Gson;
import org.apache.hbase.thirdparty.com.google.gson.GsonBuilder;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.Heading;
import org.commonmark.node.Node;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;

/**
 * The pages of a source tree's documentation, and what they link to: {@code README.md}, {@code
 * CHANGELOG.md} and all below {@code docs}, which {@code docs/README.md} leads through. They need
 * no server and load nothing from elsewhere. A link to what is not there fails.
 */
public final class Site {
  private static final Path GUIDE = Path.of("docs", "README.md");
  private static final Pattern SCHEME = Pattern.compile("[a-z][a-z+.-]*:.*");

  private final Path root;
  private final Parser parser =
      Parser.builder().extensions(List.of(TablesExtension.create())).build();
  private final Map<Path, DocPage> pages = new TreeMap<>();
  private final Gson gson = new GsonBuilder().disableHtmlEscaping().create();

  private Site(Path root) throws IOException {
    this.root = root;
    List<Path> sources = new ArrayList<>(List.of(Path.of("README.md"), Path.of("CHANGELOG.md")));
    try (Stream<Path> below = Files.walk(root.resolve("docs"))) {
      below
          .filter(file -> file.toString().endsWith(".md"))
          .map(root::relativize)
          .forEach(sources::add);
    }
    for (Path source : sources) {
      pages.put(source, new DocPage(source, parse(source)));
    }
    if (!pages.containsKey(GUIDE)) {
      throw new CliException(root.resolve(GUIDE) + " is not there: it leads through the pages");
    }
  }

  private Node parse(Path source) throws IOException {
    return parser.parse(Files.readString(root.resolve(source)));
  }

  /**
   * Writes all pages of a source tree, and the files that they link to, below a directory.
   *
   * @return the page to begin with
   * @throws CliException if there are no pages, or something is linked to that is not there; all
   *     such links are named
   */
  public static Path write(Path root, Path directory) throws IOException {
    return new Site(root).write(directory);
  }

  private Path write(Path directory) throws IOException {
    Set<String> broken = new LinkedHashSet<>();
    Set<Path> linked = new TreeSet<>();
    Map<Path, String> written = new TreeMap<>();
    for (DocPage page : pages.values()) {
      written.put(page.file(), html(page, linked, broken));
    }
    if (!broken.isEmpty()) {
      throw new CliException(String.join("\n", broken));
    }
    for (Map.Entry<Path, String> page : written.entrySet()) {
      writeText(directory.resolve(page.getKey()), page.getValue());
    }
    for (Path file : linked) {
      Files.createDirectories(directory.resolve(file).getParent());
      Files.copy(root.resolve(file), directory.resolve(file), StandardCopyOption.REPLACE_EXISTING);
    }
    writeText(directory.resolve("site.css"), resource("site.css"));
    writeText(
        directory.resolve("site.js"),
        "const sections = " + gson.toJson(sections()) + ";\n" + resource("site.js"));
    return directory.resolve("index.html");
  }

  private String html(DocPage page, Set<Path> linked, Set<String> broken) throws IOException {
    Map<Heading, String> ids = page.ids();
    HtmlRenderer renderer =
        HtmlRenderer.builder()
            .extensions(List.of(TablesExtension.create()))
            .attributeProviderFactory(
                context ->
                    (node, tag, attributes) -> {
                      if (node instanceof Heading heading && ids.containsKey(heading)) {
                        attributes.put("id", ids.get(heading));
                      }
                    })
            .build();
    Links ofGuide = new Links(GUIDE, page.source(), linked, broken);
    Node guide = parse(GUIDE);
    guide.accept(ofGuide);
    page.document().accept(new Links(page.source(), page.source(), linked, broken));
    return resource("page.html")
        .replace("{title}", page.title())
        .replace("{root}", page.source().getNameCount() == 1 ? "" : up(page.source()))
        .replace("{guide}", renderer.render(guide))
        .replace("{page}", renderer.render(page.document()));
  }

  private static String up(Path source) {
    return "../".repeat(source.getNameCount() - 1);
  }

  private List<DocPage.Section> sections() {
    return pages.values().stream().flatMap(page -> page.sections().stream()).toList();
  }

  private static void writeText(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private static String resource(String name) throws IOException {
    try (InputStream in = Site.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IOException(name + " is missing from the jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** Makes links between sources links between pages. */
  private final class Links extends LinkVisitor {
    private final Path source;
    private final Path seenFrom;
    private final Set<Path> linked;
    private final Set<String> broken;

    /**
     * @param source whose links they are
     * @param seenFrom the source of the page on which they stand
     * @param linked takes the files that are no pages
     * @param broken takes what is not there
     */
    Links(Path source, Path seenFrom, Set<Path> linked, Set<String> broken) {
      this.source = source;
      this.seenFrom = seenFrom;
      this.linked = linked;
      this.broken = broken;
    }

    @Override
    String destination(String link) {
      if (SCHEME.matcher(link).matches()) {
        return link;
      }
      int hash = link.indexOf('#');
      String path = hash < 0 ? link : link.substring(0, hash);
      String id = hash < 0 ? "" : link.substring(hash + 1);
      Path target = path.isEmpty() ? source : root.relativize(beside().resolve(path).normalize());
      DocPage page = pages.get(target);
      if (page == null && Files.isDirectory(root.resolve(target))) {
        page = pages.get(target.resolve("README.md"));
      }
      boolean isThere = page == null ? isFile(target) : id.isEmpty() || page.hasId(id);
      if (!isThere) {
        broken.add(source + " links to " + link + ", which is not there");
        return link;
      }
      if (page == null) {
        linked.add(target);
      }
      Path file = page == null ? target : page.file();
      return up(seenFrom) + file.toString().replace('\\', '/') + (id.isEmpty() ? "" : "#" + id);
    }

    private Path beside() {
      return root.resolve(source).getParent();
    }

    private boolean isFile(Path target) {
      return !target.startsWith("..") && Files.isRegularFile(root.resolve(target));
    }
  }
}
