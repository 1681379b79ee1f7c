package io.ishbase.plugin.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.protocol.Dictionary;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.ServerName;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DictionariesTest {
  private static final ServerName DAEMON = ServerName.valueOf("a", 1, 1);
  private static final ServerName OTHER = ServerName.valueOf("b", 1, 1);
  private static final String STORE = "/hbase/data/default/table/r1/f";

  private final Dictionary dictionary = new Dictionary(new byte[] {1, 2, 3});
  private final List<CompletableFuture<byte @Nullable []>> fetches = new ArrayList<>();
  private long now;
  private final Dictionaries dictionaries = new Dictionaries(() -> now);

  private void offer(ServerName daemon, String store, long id) {
    dictionaries.offered(
        daemon,
        store,
        id,
        wanted -> {
          assertThat(wanted).isEqualTo(id);
          CompletableFuture<byte @Nullable []> fetch = new CompletableFuture<>();
          fetches.add(fetch);
          return fetch;
        });
  }

  @Test
  void isFetchedOnceForAllWhoHaveIt() {
    offer(DAEMON, STORE, dictionary.id());
    offer(DAEMON, STORE, dictionary.id());
    assertThat(fetches).hasSize(1);
    assertThat(dictionaries.of(DAEMON, STORE)).as("on its way").isNull();
    fetches.get(0).complete(dictionary.content());
    assertThat(dictionaries.of(DAEMON, STORE).id()).isEqualTo(dictionary.id());
    assertThat(dictionaries.of(OTHER, STORE)).isNull();
    offer(OTHER, STORE, dictionary.id());
    assertThat(fetches).hasSize(1);
    assertThat(dictionaries.of(OTHER, STORE)).isSameAs(dictionaries.of(DAEMON, STORE));
  }

  @Test
  void whatCannotBeHadIsTriedAgainLater() {
    List<Runnable> failures =
        List.of(
            () -> last().complete(null),
            () -> last().complete(new byte[] {1}),
            () -> last().complete(new byte[Dictionary.MAX_BYTES + 1]),
            () -> last().completeExceptionally(new IOException("gone")));
    for (int i = 0; i < failures.size(); i++) {
      offer(DAEMON, STORE, dictionary.id());
      assertThat(fetches).hasSize(i + 1);
      failures.get(i).run();
      assertThat(dictionaries.of(DAEMON, STORE)).isNull();
      offer(DAEMON, STORE, dictionary.id());
      assertThat(fetches).as("at once").hasSize(i + 1);
      now += TimeUnit.MINUTES.toNanos(1);
    }
  }

  @Test
  void aDaemonThatOffersAnotherEachTimeIsNotFollowed() {
    for (int i = 0; i < 1_000; i++) {
      offer(DAEMON, STORE, i);
      now += TimeUnit.MILLISECONDS.toNanos(10);
    }
    assertThat(fetches).hasSize(1);
    offer(OTHER, STORE, dictionary.id());
    assertThat(fetches).hasSize(2);
  }

  private CompletableFuture<byte @Nullable []> last() {
    return fetches.get(fetches.size() - 1);
  }

  @Test
  void whatIsKeptIsBounded() {
    offer(DAEMON, STORE, dictionary.id());
    last().complete(dictionary.content());
    for (int i = 0; i < 10_000; i++) {
      now += TimeUnit.MINUTES.toNanos(1);
      Dictionary other = new Dictionary(new byte[] {(byte) i, (byte) (i >> 8), 7, 7});
      offer(DAEMON, "/hbase/data/default/table" + i + "/r/f", other.id());
      last().complete(other.content());
    }
    assertThat(dictionaries.of(DAEMON, STORE)).isNull();
    assertThat(dictionaries.of(DAEMON, "/hbase/data/default/table9999/r/f")).isNotNull();
    assertThat(dictionaries.of(DAEMON, "/hbase/data/default/table9000/r/f")).isNull();
  }
}
