package io.ishbase.it.metamorphic;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A file of operations: how many storage nodes there are, the column families, region servers,
 * configurations of tables, and then an operation a line. {@code docs/metamorphic.md} has the
 * grammar. Immutable.
 *
 * @param nodes storage nodes
 * @param families what HBase answers by; each configuration has the same
 * @param servers region servers with the plug-in: name and settings of their site
 * @param configurations tables that must answer alike: name, server, options
 */
record OperationFile(
    int nodes,
    Map<String, Map<String, String>> families,
    Map<String, Map<String, String>> servers,
    Map<String, Map<String, String>> configurations,
    List<Line> operations) {

  /** The server whose settings are the defaults; there always is one. */
  static final String PLAIN = "plain";

  private static final Set<String> DECLARATIONS =
      Set.of("nodes", "family", "server", "configuration");

  OperationFile {
    if (nodes < 1 || nodes > 3) {
      throw new IllegalArgumentException("nodes: 1 to 3, not " + nodes);
    }
    if (families.isEmpty() || configurations.isEmpty()) {
      throw new IllegalArgumentException("A family and a configuration at least are needed");
    }
    for (Map.Entry<String, Map<String, String>> each : configurations.entrySet()) {
      String server = each.getValue().getOrDefault("server", PLAIN);
      if (!Set.of(PLAIN, Rig.STOCK).contains(server) && !servers.containsKey(server)) {
        throw new IllegalArgumentException(
            "configuration " + each.getKey() + ": there is no server " + server);
      }
    }
  }

  /**
   * @throws IllegalArgumentException if it is none, with the line
   */
  static OperationFile parse(Stream<String> text) {
    int nodes = 2;
    Map<String, Map<String, String>> families = new LinkedHashMap<>();
    Map<String, Map<String, String>> servers = new LinkedHashMap<>();
    Map<String, Map<String, String>> configurations = new LinkedHashMap<>();
    List<Line> operations = new ArrayList<>();
    List<String> lines =
        text.map(String::strip).filter(line -> !line.isEmpty() && line.charAt(0) != '#').toList();
    for (String each : lines) {
      Line line = Line.of(each);
      if (DECLARATIONS.contains(line.verb()) && !operations.isEmpty()) {
        throw new IllegalArgumentException("This stands before all operations: " + line);
      }
      switch (line.verb()) {
        case "nodes" -> nodes = Integer.parseInt(line.word(0));
        case "family" -> families.put(line.word(0), line.options());
        case "server" -> servers.put(line.word(0), line.options());
        case "configuration" -> configurations.put(line.word(0), line.options());
        default -> operations.add(line);
      }
    }
    return new OperationFile(nodes, families, servers, configurations, operations);
  }

  static OperationFile read(Path file) throws IOException {
    return parse(Files.readAllLines(file).stream());
  }

  /**
   * Writes it.
   *
   * @param comment for people
   */
  void write(Path file, String comment) throws IOException {
    Files.createDirectories(file.toAbsolutePath().getParent());
    Files.writeString(
        file,
        comment.lines().map(line -> ("# " + line).strip() + "\n").collect(Collectors.joining())
            + this
            + "\n");
  }

  OperationFile with(List<Line> others) {
    return new OperationFile(nodes, families, servers, configurations, List.copyOf(others));
  }

  /** With these configurations, and the servers that they need. */
  OperationFile withConfigurations(Map<String, Map<String, String>> others) {
    Map<String, Map<String, String>> needed = new LinkedHashMap<>(servers);
    needed
        .keySet()
        .removeIf(
            server ->
                others.values().stream().noneMatch(each -> server.equals(each.get("server"))));
    return new OperationFile(nodes, families, needed, others, operations);
  }

  private static Stream<String> declared(String verb, Map<String, Map<String, String>> all) {
    return all.entrySet().stream().map(each -> verb + " " + each.getKey() + text(each.getValue()));
  }

  /** Options, each with a space before it. */
  static String text(Map<String, String> options) {
    return options.entrySet().stream()
        .map(option -> " " + option.getKey() + "=" + option.getValue())
        .collect(Collectors.joining());
  }

  @Override
  public String toString() {
    return Stream.of(
            Stream.of("nodes " + nodes),
            declared("family", families),
            declared("server", servers),
            declared("configuration", configurations),
            operations.stream().map(Line::toString))
        .flatMap(lines -> lines)
        .collect(Collectors.joining("\n"));
  }
}
