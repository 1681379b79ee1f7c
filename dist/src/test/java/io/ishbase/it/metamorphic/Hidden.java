package io.ishbase.it.metamorphic;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * What has been written and deleted, as far as it decides what may be written next: only what HBase
 * answers the same to whatever its flushes and compactions did.
 *
 * <ul>
 *   <li>No put below a delete marker: a compaction that drops the marker would show it.
 *   <li>No deletion of a single version where there may be more than are kept: an older one would
 *       show, unless it was dropped. None where deleted cells are kept and count as versions.
 * </ul>
 */
final class Hidden {
  private final Map<String, Map<String, String>> families;

  /** By row and column, or row and family: the latest time that a marker hides. */
  private final Map<String, Integer> hiddenUpTo = new HashMap<>();

  /** Single versions that are hidden: row and column, or row and family, and time. */
  private final Set<String> hiddenVersions = new HashSet<>();

  /** By row and column: the times at which something was put. */
  private final Map<String, Set<Integer>> versions = new HashMap<>();

  private final Map<String, Integer> maxVersions = new HashMap<>();

  Hidden(Map<String, Map<String, String>> families) {
    this.families = families;
    families.forEach((family, options) -> lower(family, options.getOrDefault("versions", "1")));
  }

  /** The family keeps so many from now on, which must be fewer than before. */
  void lower(String family, String versions) {
    maxVersions.put(
        family, versions.equals("all") ? Integer.MAX_VALUE : Integer.parseInt(versions));
  }

  int maxVersions(String family) {
    return maxVersions.get(family);
  }

  private static String key(String row, CellText cell) {
    return row + "/" + cell.family() + ":" + cell.qualifier();
  }

  private static String familyKey(String row, CellText cell) {
    return row + "/" + cell.family();
  }

  boolean mayPut(String row, CellText cell) {
    int order = FileTime.order(cell.time());
    return order > hiddenUpTo.getOrDefault(key(row, cell), -1)
        && order > hiddenUpTo.getOrDefault(familyKey(row, cell), -1)
        && !hiddenVersions.contains(key(row, cell) + "@" + cell.time())
        && !hiddenVersions.contains(familyKey(row, cell) + "@" + cell.time());
  }

  void put(String row, CellText cell) {
    versions.computeIfAbsent(key(row, cell), key -> new HashSet<>()).add(cell.time());
  }

  /** Of a column, or of all columns of a family if none is named. */
  boolean mayDeleteVersion(String row, CellText cell) {
    String prefix = cell.qualifier() == null ? familyKey(row, cell) + ":" : key(row, cell);
    Map<String, String> family = families.get(cell.family());
    return !family.containsKey("min-versions")
        && !family.containsKey("keep-deleted")
        && versions.entrySet().stream()
            .filter(
                column ->
                    cell.qualifier() == null
                        ? column.getKey().startsWith(prefix)
                        : column.getKey().equals(prefix))
            .allMatch(column -> column.getValue().size() <= maxVersions(cell.family()));
  }

  void deleteVersion(String row, CellText cell) {
    hiddenVersions.add(
        (cell.qualifier() == null ? familyKey(row, cell) : key(row, cell)) + "@" + cell.time());
  }

  void deleteUpTo(String row, CellText cell) {
    hiddenUpTo.merge(
        cell.qualifier() == null ? familyKey(row, cell) : key(row, cell),
        FileTime.order(cell.time()),
        Math::max);
  }

  /** All of a row's family is deleted: no version that was put before counts any more. */
  void purge(String row, CellText marker) {
    deleteUpTo(row, marker);
    versions.keySet().removeIf(column -> column.startsWith(familyKey(row, marker) + ":"));
  }

  /** The table is empty, and has no markers. */
  void clear() {
    hiddenUpTo.clear();
    hiddenVersions.clear();
    versions.clear();
  }
}
