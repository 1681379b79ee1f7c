package io.ishbase.archetypes.document;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.ishbase.archetypes.document.DocumentException.Problem;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Makes changes in columns, of which those were read that the changes need. */
final class Draft {
  private final Columns columns;
  private final int largeAbove;

  /**
   * @param columns what was read, and is changed here
   * @param largeAbove bytes of a string beyond which it goes into the other family
   */
  Draft(Columns columns, int largeAbove) {
    this.columns = columns;
    this.largeAbove = largeAbove;
  }

  void make(Update.Change change) throws IOException {
    if (change instanceof Update.Set set) {
      set(set.path(), set.value());
    } else if (change instanceof Update.Append append) {
      append(append.path(), append.value());
    } else {
      remove(change.path());
    }
  }

  private void set(Path path, JsonNode value) {
    int position = path.isRoot() ? 0 : position(path);
    byte[] place = PathBytes.encode(path);
    columns.remove(place);
    columns.flatten(place, path.steps().size(), position, value, largeAbove);
  }

  /** Of the member or element in its parent, where room is made for it if it is new. */
  private int position(Path path) {
    Path parent = path.parent();
    byte[] parentPlace = PathBytes.encode(parent);
    Column container = columns.own(parentPlace);
    if (container == null) {
      container = newObject(parent, path);
    }
    requireContainer(container, path);
    Column old = columns.own(PathBytes.encode(path));
    if (old != null) {
      return old.position();
    }
    int count = container.count();
    if (path.last() instanceof Path.Element element && element.index() != count) {
      throw noPlace(path, parent, "has " + count + " elements");
    }
    if (count == Integer.MAX_VALUE) {
      throw new DocumentException(
          Problem.TOO_LARGE, "'" + parent + "' had 2^31 members: write it anew");
    }
    columns.putOwn(parentPlace, container.withCount(count + 1));
    return container.isObject() ? count : 0;
  }

  /** An empty object at {@code path} for the member {@code child}. */
  private Column newObject(Path path, Path child) {
    if (!(child.last() instanceof Path.Member)) {
      throw noPlace(child, path, "is not there");
    }
    Column object = Column.object(position(path), 0);
    columns.putOwn(PathBytes.encode(path), object);
    return object;
  }

  private void append(Path path, JsonNode value) {
    Column array = walk(path);
    if (array == null || !array.isArray()) {
      throw noPlace(path.element(0), path, array == null ? "is not there" : "is no array");
    }
    set(path.element(array.count()), value);
  }

  private void remove(Path path) throws IOException {
    if (walk(path) == null) {
      return;
    }
    if (path.last() instanceof Path.Element element) {
      byte[] place = PathBytes.encode(path.parent());
      Column own = columns.own(place);
      if (own != null && columns.at(place) instanceof ArrayNode array) {
        array.remove(element.index());
        columns.remove(place);
        columns.flatten(place, path.steps().size() - 1, own.position(), array, largeAbove);
      }
      return;
    }
    columns.remove(PathBytes.encode(path));
  }

  /** The column at {@code path}, null if it is not there; its parents are looked at on the way. */
  private @Nullable Column walk(Path path) {
    Column here = columns.own(new byte[0]);
    for (int i = 1; i <= path.steps().size() && here != null; i++) {
      Path next = path.first(i);
      requireContainer(here, next);
      here = columns.own(PathBytes.encode(next));
    }
    return here;
  }

  private static void requireContainer(Column container, Path child) {
    boolean fits = child.last() instanceof Path.Member ? container.isObject() : container.isArray();
    if (!fits) {
      String found = container.isObject() ? "an object" : container.isArray() ? "an array" : null;
      throw noPlace(child, child.parent(), found == null ? "is a plain value" : "is " + found);
    }
  }

  private static DocumentException noPlace(Path path, Path parent, String why) {
    return new DocumentException(
        Problem.NO_SUCH_PLACE,
        "No place '"
            + Utf8.shown(path.toString())
            + "': "
            + (parent.isRoot() ? "the document" : "'" + Utf8.shown(parent.toString()) + "'")
            + " "
            + why);
  }
}
