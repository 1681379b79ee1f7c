package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.ishbase.archetypes.document.Document;
import io.ishbase.archetypes.document.DocumentException;
import io.ishbase.archetypes.document.DocumentException.Problem;
import io.ishbase.archetypes.document.DocumentSchema;
import io.ishbase.archetypes.document.DocumentStore;
import io.ishbase.archetypes.document.Fragment;
import io.ishbase.archetypes.document.Json;
import io.ishbase.archetypes.document.Mended;
import io.ishbase.archetypes.document.Path;
import io.ishbase.archetypes.document.Update;
import io.ishbase.archetypes.document.WriteSteps;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.testing.Seed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.TableExistsException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.mob.MobUtils;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Documents on a real cluster whose tables are read in-storage. {@code -Dishbase.seed=} repeats a
 * run, {@code -Dishbase.rounds=} makes it longer.
 */
class DocumentArchetypeTest {
  private static final int LARGE = 1000;
  private static final int ROUNDS = Integer.getInteger("ishbase.rounds", 1);

  private static MiniCluster cluster;

  /** The client dies. */
  private static final class Death extends IOException {
    private static final long serialVersionUID = 1L;
  }

  @BeforeAll
  static void start() throws Exception {
    cluster = MiniCluster.start(conf -> {});
    cluster.startDaemons();
    List<DocumentSchema> schemas =
        List.of(
            schema("model", DocumentModel.INDEXES),
            schema("writers", "tags[*]", "count"),
            schema("deaths", "a", "l[*]"),
            schema("between", "a"),
            schema("millisecond", "a", "b"),
            schema("parts", "meta.title"),
            schema("large", "text"),
            schema("later"),
            schema("reborn", "a"));
    List<Future<Void>> created = new ArrayList<>();
    try (Admin admin = cluster.connection().getAdmin()) {
      for (DocumentSchema schema : schemas) {
        for (TableDescriptor table : schema.descriptors()) {
          created.add(admin.createTableAsync(table));
        }
      }
      for (Future<Void> each : created) {
        each.get();
      }
    }
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  private static DocumentSchema schema(String name, String... indexes) {
    return DocumentSchema.of(TableName.valueOf(name))
        .index(indexes)
        .largeAbove(LARGE)
        .value(MiniCluster.READ, MiniCluster.IN_STORAGE);
  }

  private static DocumentStore open(TableName table) throws IOException {
    return DocumentStore.open(cluster.connection(), table);
  }

  private static void flush(TableName table) throws IOException {
    cluster.util.flush(table);
    cluster.util.flush(TableName.valueOf(table + "_index"));
  }

  @Test
  void isAMapOfDocuments() throws Exception {
    Random random = new Random(Seed.get());
    TableName name = TableName.valueOf("model");
    DocumentStore store = open(name);
    DocumentModel model = new DocumentModel(random);
    InStorageMetrics metrics = InStorageMetrics.get();
    long before = metrics.inStorageBytes();
    // Whatever is drawn, there is a file.
    String firstId = model.id();
    JsonNode first = model.json(3);
    store.put(firstId, first);
    model.documents.put(firstId, first);
    flush(name);
    for (int i = 0; i < 80 * ROUNDS; i++) {
      String id = model.id();
      JsonNode now = model.documents.get(id);
      switch (random.nextInt(16)) {
        case 0 -> flush(name);
        case 1 -> {
          if (random.nextInt(4) == 0) {
            cluster.util.compact(name, true);
          }
        }
        case 2 -> {
          assertThat(store.delete(id)).isEqualTo(now != null);
          model.documents.remove(id);
        }
        case 3, 4 -> {
          JsonNode body = model.json(3);
          store.put(id, body);
          model.documents.put(id, body);
        }
        default -> {
          if (now == null) {
            assertThat(store.update(id, new Update().set("a", "1"))).isEmpty();
          } else {
            Update update = new Update();
            JsonNode changed = now.deepCopy();
            for (int changes = random.nextInt(3); changes >= 0; changes--) {
              changed = model.change(changed, update);
            }
            assertThat(store.update(id, update)).isPresent();
            model.documents.put(id, changed);
          }
        }
      }
      check(store, model, id);
    }
    assertThat(metrics.inStorageBytes()).isGreaterThan(before);
    Mended mended = store.mend();
    assertThat(mended.removed()).isZero();
    assertThat(mended.added()).isZero();
    assertThat(mended.documents()).isEqualTo(model.documents.size());
    List<String> ids = new ArrayList<>();
    store.scan(fragment -> ids.add(fragment.id()), "");
    assertThat(ids).containsExactlyElementsOf(model.documents.keySet());
  }

  private static void check(DocumentStore store, DocumentModel model, String id)
      throws IOException {
    JsonNode wanted = model.documents.get(id);
    Optional<Document> got = store.get(id);
    assertThat(got.map(document -> document.body().toString()))
        .isEqualTo(Optional.ofNullable(wanted).map(JsonNode::toString));
    if (wanted != null) {
      assertThat(got.orElseThrow().body()).isEqualTo(wanted);
      Path one = model.place(wanted);
      Path other = model.place(wanted);
      Path none = Path.of("no.such[3].place");
      Fragment fragment = store.get(id, one, other, none).orElseThrow();
      assertThat(fragment.parts())
          .containsEntry(one, DocumentModel.at(wanted, one))
          .containsEntry(other, DocumentModel.at(wanted, other))
          .doesNotContainKey(none);
      assertThat(fragment.version()).isEqualTo(got.orElseThrow().version());
    }
    for (String index : DocumentModel.INDEXES) {
      JsonNode value = model.plain();
      assertThat(store.find(Path.of(index), value, "", 100))
          .as("%s of %s", value, index)
          .containsExactlyElementsOf(model.find(index, value));
    }
  }

  @Test
  void writersLoseNothingOfEachOther() throws Exception {
    TableName name = TableName.valueOf("writers");
    DocumentStore store = open(name);
    int writers = 4;
    int rounds = 4 * ROUNDS;
    store.put(
        "d", "{\"count\":0,\"log\":[],\"tags\":[\"always\",\"t\"],\"mark\":\"\",\"large\":\"\"}");
    AtomicBoolean done = new AtomicBoolean();
    AtomicInteger found = new AtomicInteger();
    ExecutorService pool = Executors.newCachedThreadPool();
    try {
      List<Future<?>> writing = new ArrayList<>();
      for (int i = 0; i < writers; i++) {
        int writer = i;
        writing.add(pool.submit(callable(() -> write(store, writer, rounds))));
      }
      Future<?> reading =
          pool.submit(
              callable(
                  () -> {
                    while (!done.get()) {
                      assertThat(store.find("tags[*]", "\"always\"")).containsExactly("d");
                      JsonNode body = store.get("d").orElseThrow().body();
                      String mark = body.get("mark").textValue();
                      assertThat(body.get("large").textValue()).isEqualTo(mark.repeat(LARGE));
                      found.incrementAndGet();
                    }
                  }));
      Future<?> mending =
          pool.submit(
              callable(
                  () -> {
                    while (!done.get()) {
                      assertThat(store.mend().added()).isZero();
                      cluster.util.flush(name);
                    }
                  }));
      for (Future<?> each : writing) {
        each.get();
      }
      done.set(true);
      reading.get();
      mending.get();
    } finally {
      done.set(true);
      pool.shutdownNow();
    }
    assertThat(found.get()).isPositive();
    JsonNode end = store.get("d").orElseThrow().body();
    assertThat(end.get("count").intValue()).isEqualTo(writers * rounds);
    List<Integer> next = new ArrayList<>(List.of(0, 0, 0, 0));
    for (JsonNode entry : end.get("log")) {
      int writer = entry.get(0).intValue();
      assertThat(entry.get(1).intValue()).isEqualTo(next.get(writer));
      next.set(writer, next.get(writer) + 1);
    }
    assertThat(next).containsOnly(rounds);
    assertThat(store.find("count", "" + writers * rounds)).containsExactly("d");
    store.mend();
    assertThat(store.mend()).isEqualTo(new Mended(3, 1, 0, 0));
  }

  /** Something that may throw. */
  private interface Work {
    void run() throws Exception;
  }

  private static Callable<Void> callable(Work work) {
    return () -> {
      work.run();
      return null;
    };
  }

  private static void write(DocumentStore store, int writer, int rounds) throws IOException {
    for (int round = 0; round < rounds; round++) {
      OptionalLong written = OptionalLong.empty();
      while (written.isEmpty()) {
        Fragment now = store.get("d", "count").orElseThrow();
        JsonNode count = now.parts().get(Path.of("count"));
        Update update = new Update().set("count", "" + (count.intValue() + 1));
        written =
            store.update(
                "d",
                round % 2 == 0
                    ? update.ifVersion(now.version())
                    : update.ifEquals(Path.of("count"), count));
      }
      // Of an array that an index finds, an element comes and goes, and one value stands twice.
      store.update(
          "d",
          new Update()
              .append("log", "[" + writer + "," + round + "]")
              .set("mark", "\"" + (writer + 10 * round) + "\"")
              .set("large", "\"" + ("" + (writer + 10 * round)).repeat(LARGE) + "\"")
              .set("tags", round % 2 == 0 ? "[\"always\"]" : "[\"t\",\"always\",\"always\"]"));
    }
    store.update("d", new Update().set("tags", "[\"always\",\"t\"]"));
  }

  @Test
  void whatADeathLeavesIsNeverFoundAndIsMended() throws Exception {
    TableName name = TableName.valueOf("deaths");
    DocumentStore store = open(name);
    store.put("old", "{\"a\":1,\"l\":[1,2]}");
    for (WriteSteps.Step at : WriteSteps.Step.values()) {
      DocumentStore dying =
          DocumentStore.open(
              cluster.connection(),
              name,
              (step, id) -> {
                if (step == at) {
                  throw new Death();
                }
              });
      boolean written = at == WriteSteps.Step.ROW_WRITTEN;
      String to = written ? "3" : "2";
      assertThatThrownBy(() -> dying.put("new" + to, "{\"a\":" + to + "}"))
          .isInstanceOf(Death.class);
      assertThatThrownBy(
              () -> dying.update("old", new Update().set("a", to).append("l", to).remove("l[0]")))
          .isInstanceOf(Death.class);
      assertThat(store.find("a", to)).isEqualTo(written ? List.of("new" + to, "old") : List.of());
      assertThat(store.find("a", "1")).isEqualTo(written ? List.of() : List.of("old"));
      assertThat(store.get("old").orElseThrow().body())
          .hasToString(written ? "{\"a\":3,\"l\":[2,3]}" : "{\"a\":1,\"l\":[1,2]}");
      assertThat(store.get("new" + to).isPresent()).isEqualTo(written);
      Mended mended = store.mend();
      // Two of the document that changed; of the new one, if it was not written, its only one.
      assertThat(mended.removed()).isEqualTo(2);
      assertThat(mended.added()).isZero();
      assertThat(store.mend().removed()).isZero();
    }
    assertThatThrownBy(
            () ->
                DocumentStore.open(
                        cluster.connection(),
                        name,
                        (step, id) -> {
                          if (step == WriteSteps.Step.ROW_WRITTEN) {
                            throw new Death();
                          }
                        })
                    .delete("old"))
        .isInstanceOf(Death.class);
    assertThat(store.find("a", "3")).containsExactly("new3");
    assertThat(store.mend()).isEqualTo(new Mended(4, 1, 3, 0));
  }

  @Test
  void mendingBetweenTheStepsOfAWriteTakesNothingFromIt() throws Exception {
    TableName name = TableName.valueOf("between");
    DocumentStore store = open(name);
    AtomicInteger mends = new AtomicInteger();
    AtomicLong removed = new AtomicLong();
    DocumentStore slow =
        DocumentStore.open(
            cluster.connection(),
            name,
            (step, id) -> {
              if (step == WriteSteps.Step.ENTRIES_WRITTEN && mends.incrementAndGet() % 2 == 1) {
                removed.addAndGet(store.mend().removed());
              }
            });
    for (int i = 0; i < 4; i++) {
      String value = "" + i;
      if (i == 2) {
        assertThat(slow.delete("d")).isTrue();
        mends.set(0);
      }
      slow.put("d", "{\"a\":" + value + "}");
      assertThat(store.find("a", value)).containsExactly("d");
    }
    // Each write was fenced off once, but the deletion, which puts no entry.
    assertThat(removed.get()).isEqualTo(4);
    assertThat(store.mend().added()).isZero();
  }

  @Test
  void aNewDocumentHidesTheOldOneInWhateverMillisecond() throws Exception {
    TableName name = TableName.valueOf("millisecond");
    AtomicLong clock = new AtomicLong(System.currentTimeMillis());
    DocumentStore store =
        DocumentStore.open(
            cluster.connection(),
            name,
            new WriteSteps() {
              @Override
              public void reached(Step step, String id) {}

              @Override
              public long clockMillis() {
                return clock.get();
              }
            });
    long last = 0;
    String large = "x".repeat(2 * LARGE);
    for (int i = 0; i < 8; i++) {
      boolean odd = i % 2 == 1;
      String json =
          odd ? "{\"b\":[" + i + "]}" : "{\"a\":{\"c\":" + i + ",\"d\":\"" + large + "\"},\"b\":1}";
      long version = store.put("d", json);
      assertThat(version).isGreaterThan(last);
      assertThat(store.get("d").orElseThrow())
          .hasToString(new Document("d", version, Json.parse(json)).toString());
      assertThat(store.find("b", "1")).isEqualTo(odd ? List.of() : List.of("d"));
      last = store.update("d", new Update().set("e", "0").ifVersion(version)).orElseThrow();
      assertThat(store.update("d", new Update().set("f", "0").ifVersion(version))).isEmpty();
      assertThat(last).isGreaterThan(version);
      switch (i % 6) {
        case 1 -> {
          // Nothing is remembered of versions but what the row says.
          assertThat(store.deleteIf("d", version)).isFalse();
          assertThat(store.deleteIf("d", last)).isTrue();
          assertThat(store.get("d")).isEmpty();
          assertThat(store.delete("d")).isFalse();
        }
        case 2 -> flush(name);
        case 3 -> clock.addAndGet(-500);
        case 4 -> cluster.util.compact(name, true);
        default -> {}
      }
    }
  }

  @Test
  void versionsGrowBeyondADeletion() throws Exception {
    DocumentStore store = open(TableName.valueOf("reborn"));
    assertThat(store.putIf("d", 1, "{}")).isEmpty();
    long first = store.putIf("d", 0, "{\"a\":1}").orElseThrow();
    assertThat(store.putIf("d", 0, "{}")).isEmpty();
    store.delete("d");
    assertThat(store.find("a", "1")).isEmpty();
    long second = store.putIf("d", 0, "{\"a\":1}").orElseThrow();
    assertThat(second).isGreaterThan(first + 1);
    assertThat(store.find("a", "1")).containsExactly("d");
    assertThat(store.mend()).isEqualTo(new Mended(1, 1, 0, 0));
  }

  @Test
  void partialReadsMoveOnlyTheirPart() throws Exception {
    TableName name = TableName.valueOf("parts");
    DocumentStore store = open(name);
    StringBuilder json = new StringBuilder("{\"meta\":{\"title\":\"T\",\"year\":2017},\"pages\":[");
    for (int i = 0; i < 1000; i++) {
      json.append(i == 0 ? "" : ",").append("{\"n\":").append(i).append(",\"text\":\"");
      json.append("y".repeat(400)).append("\"}");
    }
    json.append("]}");
    store.put("book", json.toString());
    flush(name);
    long whole = bytes(() -> assertThat(store.get("book").orElseThrow().body()).hasSize(2));
    long part =
        bytes(
            () ->
                assertThat(store.get("book", "meta", "pages[500].n").orElseThrow().parts())
                    .hasToString("{meta={\"title\":\"T\",\"year\":2017}, pages[500].n=500}"));
    long found = bytes(() -> assertThat(store.find("meta.title", "\"T\"")).hasSize(1));
    long appended =
        bytes(
            () -> assertThat(store.update("book", new Update().append("pages", "1"))).isPresent());
    System.out.printf(
        "bytes: whole %d, part %d, find %d, append %d%n", whole, part, found, appended);
    assertThat(whole).isGreaterThan(400_000);
    assertThat(part).isBetween(50L, 2_000L);
    assertThat(found).isBetween(50L, 2_000L);
    assertThat(appended).isBetween(50L, 2_000L);
    assertThat(store.get("book", "pages[1000]").orElseThrow().parts())
        .isEqualTo(Map.of(Path.of("pages[1000]"), Json.parse("1")));
  }

  private static long bytes(Work read) throws Exception {
    InStorageMetrics metrics = InStorageMetrics.get();
    long before = metrics.inStorageBytes();
    read.run();
    return metrics.inStorageBytes() - before;
  }

  @Test
  void largeStringsAreMediumSizedObjects() throws Exception {
    TableName name = TableName.valueOf("large");
    DocumentStore store = open(name);
    String large = "é".repeat(300_000);
    String json = "{\"text\":\"" + large + "\",\"more\":{\"text\":\"" + large + "z\"},\"n\":1}";
    store.put("d", json);
    assertThat(store.get("d").orElseThrow().body()).hasToString(json);
    assertThat(mobBytes(name)).isZero();
    flush(name);
    assertThat(mobBytes(name)).isGreaterThan(1_200_000);
    assertThat(store.get("d").orElseThrow().body()).hasToString(json);
    assertThat(store.get("d", "more.text").orElseThrow().parts())
        .isEqualTo(Map.of(Path.of("more.text"), Json.parse("\"" + large + "z\"")));
    assertThat(store.find("text", "\"" + large + "\"")).containsExactly("d");
    assertThat(store.find("text", "\"" + large + "z\"")).isEmpty();
    store.update("d", new Update().set("text", "\"small\""));
    flush(name);
    assertThat(store.get("d").orElseThrow().body())
        .hasToString(json.replace("\"text\":\"" + large + "\",", "\"text\":\"small\","));
    assertThat(store.find("text", "\"small\"")).containsExactly("d");
    try (Table table = cluster.connection().getTable(name)) {
      assertThat(table.get(new Get(Bytes.toBytes("d")).addFamily(Bytes.toBytes("l"))).size())
          .isEqualTo(1);
    }
  }

  private static long mobBytes(TableName name) throws IOException {
    org.apache.hadoop.fs.Path family =
        MobUtils.getMobFamilyPath(cluster.util.getConfiguration(), name, "l");
    FileSystem files = family.getFileSystem(cluster.util.getConfiguration());
    long bytes = 0;
    if (files.exists(family)) {
      for (FileStatus file : files.listStatus(family)) {
        bytes += file.getLen();
      }
    }
    return bytes;
  }

  @Test
  void wrongInputIsRefusedAndLeavesNothing() throws Exception {
    TableName name = TableName.valueOf("wrong");
    try (Admin admin = cluster.connection().getAdmin()) {
      schema("wrong", "a").create(admin);
      assertThatThrownBy(() -> schema("wrong", "a").create(admin))
          .isInstanceOf(TableExistsException.class);
    }
    DocumentStore store = open(name);
    store.put("d", "{\"a\":1,\"l\":[1]}");
    refused(Problem.INVALID_JSON, () -> store.put("d", "{\"a\":"));
    refused(Problem.INVALID_JSON, () -> store.put("d", "{\"a\":\"\\ud800\"}"));
    refused(Problem.DUPLICATE_MEMBER, () -> store.put("d", "{\"a\":1,\"a\":2}"));
    refused(Problem.TOO_DEEP, () -> store.put("d", "[".repeat(102) + "]".repeat(102)));
    refused(Problem.TOO_DEEP, () -> store.put("d", "[".repeat(500_000)));
    refused(
        Problem.TOO_LARGE,
        () -> store.put("e", "{\"a\":2,\"b\":\"" + "x".repeat(11 << 20) + "\"}"));
    refused(Problem.TOO_LARGE, () -> store.put("e", "{\"a\":2,\"" + "x".repeat(9000) + "\":1}"));
    refused(Problem.INVALID_ID, () -> store.put("", "{}"));
    refused(Problem.INVALID_ID, () -> store.get("x".repeat(5000)));
    refused(Problem.INVALID_ID, () -> store.find(Path.of("a"), Json.parse("1"), "\ud800", 1));
    refused(Problem.NO_SUCH_PLACE, () -> store.update("d", new Update().set("a.b.c", "1")));
    refused(Problem.NO_SUCH_PLACE, () -> store.update("d", new Update().set("l.b", "1")));
    refused(Problem.NO_SUCH_PLACE, () -> store.update("d", new Update().set("l[2]", "1")));
    refused(Problem.NO_SUCH_PLACE, () -> store.update("d", new Update().set("m[0]", "1")));
    refused(Problem.NO_SUCH_PLACE, () -> store.update("d", new Update().append("a", "1")));
    refused(Problem.NO_SUCH_PLACE, () -> store.update("d", new Update().append("m", "1")));
    refused(Problem.NO_SUCH_PLACE, () -> store.update("d", new Update().remove("a[0]")));
    refused(
        Problem.NO_SUCH_PLACE,
        () -> store.update("d", new Update().set("x", "1").set("a", "2").set("x.y", "2")));
    refused(Problem.INVALID_PATH, () -> store.update("d", new Update().set("l[*]", "1")));
    refused(Problem.INVALID_PATH, () -> store.get("d", "l[*]"));
    refused(Problem.INVALID_PATH, () -> new Update().remove(""));
    refused(Problem.NOT_INDEXED, () -> store.find("b", "1"));
    refused(Problem.NOT_INDEXED, () -> store.find("a", "[]"));
    refused(Problem.NO_TABLE, () -> open(TableName.valueOf("nowhere")));
    refused(Problem.NO_TABLE, () -> open(TableName.valueOf("wrong_index")));
    assertThat(store.get("d").orElseThrow().body()).hasToString("{\"a\":1,\"l\":[1]}");
    assertThat(store.get("e")).isEmpty();
    assertThat(store.mend()).isEqualTo(new Mended(1, 1, 0, 0));
    try (Admin admin = cluster.connection().getAdmin()) {
      admin.disableTable(name);
      admin.deleteTable(name);
    }
    assertThatThrownBy(() -> store.put("d", "{}")).isInstanceOf(IOException.class);
  }

  /** Entries of an index would lie among documents, or nowhere. */
  @Test
  void anIndexIsATableOfItsOwn() throws Exception {
    TableName crossed = TableName.valueOf("crossed");
    TableName index = TableName.valueOf("crossed_index");
    try (Admin admin = cluster.connection().getAdmin()) {
      DocumentSchema.of(index).create(admin);
      refused(Problem.NO_TABLE, () -> DocumentSchema.of(crossed).index("x").create(admin));
      admin.disableTable(index);
      admin.deleteTable(index);
      DocumentSchema.of(crossed).index("x").create(admin);
      open(crossed).put("d", "{\"x\":1}");
      admin.disableTable(index);
      admin.deleteTable(index);
      refused(Problem.NO_TABLE, () -> open(crossed));
      assertThat(admin.tableExists(index)).isFalse();
    }
  }

  private static void refused(Problem problem, Work work) {
    assertThatThrownBy(work::run)
        .isInstanceOfSatisfying(
            DocumentException.class,
            e -> {
              assertThat(e.problem()).as(e.toString()).isEqualTo(problem);
              assertThat(e.getMessage()).hasSizeBetween(10, 400);
            });
  }

  @Test
  void anIndexThatIsAddedLaterIsFilled() throws Exception {
    TableName name = TableName.valueOf("later");
    DocumentStore before = open(name);
    for (int i = 0; i < 240; i++) {
      before.put(String.format("d%03d", i), "{\"a\":[{\"b\":" + i % 3 + "}],\"c\":" + i + "}");
    }
    try (Admin admin = cluster.connection().getAdmin()) {
      DocumentSchema.addIndex(admin, name, "a[*].b");
    }
    DocumentStore store = open(name);
    store.put("d000", "{\"a\":[{\"b\":5}]}");
    // It knows nothing of the index, and leaves it alone.
    assertThat(before.mend().removed()).isZero();
    assertThat(store.find("a[*].b", "5")).containsExactly("d000");
    assertThat(store.mend()).isEqualTo(new Mended(1, 240, 0, 239));
    assertThat(store.find("a[*].b", "1")).hasSize(80).startsWith("d001", "d004");
    assertThat(store.find(Path.of("a[*].b"), Json.parse("2.0"), "d005", 3))
        .containsExactly("d008", "d011", "d014");
    assertThat(store.find("a[*].b", "5")).containsExactly("d000");
    assertThat(store.get(List.of("d000", "d001", "none"), "c"))
        .extracting(Fragment::parts)
        .containsExactly(Map.of(), Map.of(Path.of("c"), Json.parse("1")));
  }
}
