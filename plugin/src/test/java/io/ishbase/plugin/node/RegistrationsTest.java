package io.ishbase.plugin.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.Registration;
import io.ishbase.protocol.generated.IssnProtos.DaemonInfo;
import io.ishbase.testing.Seed;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** What may stand below the znode of the daemons, written by whoever. */
class RegistrationsTest {
  private static final DaemonInfo SOUND =
      DaemonInfo.newBuilder()
          .setVersion(Protocol.VERSION)
          .setHost("127.0.0.1")
          .setPort(16060)
          .setStartCode(5)
          .setDatanode("127.0.0.1:9866")
          .addRole(Protocol.SCAN)
          .build();
  private static final String NAME = Registration.nodeName(SOUND);
  private static final DaemonInfo NAMED =
      SOUND.toBuilder().setDatanode("dn.example.org:9866").build();
  private static final DaemonInfo OTHER = SOUND.toBuilder().setStartCode(6).build();

  private final Queue<Runnable> lookups = new ArrayDeque<>();
  private final Queue<Runnable> later = new ArrayDeque<>();
  private final List<Duration> delays = new ArrayList<>();
  private UnaryOperator<String> nameServer = name -> name.replace("dn.example.org", "10.0.0.1");
  private List<StorageNode> told = List.of();
  private final Registrations registrations =
      new Registrations(
          name -> nameServer.apply(name),
          lookups::add,
          (task, delay) -> {
            later.add(task);
            delays.add(delay);
          },
          nodes -> told = List.copyOf(nodes));

  private static void isIgnored(String name, byte[] data, String why) {
    assertThatThrownBy(() -> Registrations.parse(name, data))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(why);
  }

  private static void isIgnored(DaemonInfo info, String why) {
    isIgnored(Registration.nodeName(info), info.toByteArray(), why);
  }

  @Test
  void aSoundRegistrationIsAStorageNode() {
    registrations.changed(NAME, SOUND.toByteArray());
    registrations.complete();
    assertThat(told.get(0).address().toString()).isEqualTo("127.0.0.1,16060,5");
    assertThat(told.get(0).dataNodeIp()).isEqualTo("127.0.0.1:9866");
    assertThat(lookups).isEmpty();
  }

  /** What is behind a handle may differ from release to release. */
  @Test
  void handlesOfAnotherReleaseAreNone() {
    registrations.complete();
    for (int handles : new int[] {0, Protocol.HANDLES, Protocol.HANDLES + 1}) {
      registrations.changed(NAME, SOUND.toBuilder().setHandles(handles).build().toByteArray());
      assertThat(told.get(0).knowsHandles()).isEqualTo(handles == Protocol.HANDLES);
    }
  }

  /** Else one slow name server would keep from all reads that another daemon has died. */
  @Test
  void aNameIsLookedUpByAnotherThread() {
    registrations.complete();
    registrations.changed(NAME, NAMED.toByteArray());
    registrations.changed("127.0.0.1,16060,6", OTHER.toByteArray());
    assertThat(told).extracting(StorageNode::name).containsExactly("127.0.0.1,16060,6");
    registrations.changed(NAME, NAMED.toBuilder().setLoadPercent(70).build().toByteArray());
    assertThat(lookups).hasSize(1);
    lookups.remove().run();
    assertThat(told).hasSize(2);
    assertThat(told.get(0).dataNodeIp()).isEqualTo("10.0.0.1:9866");
    assertThat(told.get(0).loadPercent()).as("as of now").isEqualTo(70);
    registrations.changed(NAME, NAMED.toByteArray());
    assertThat(told.get(0).loadPercent()).isZero();
    assertThat(told.get(0).dataNodeIp()).isEqualTo("10.0.0.1:9866");
    assertThat(lookups).as("each name once").isEmpty();
  }

  @Test
  void aNameThatCouldNotBeLookedUpIsTriedAgain() {
    UnaryOperator<String> sound = nameServer;
    nameServer = name -> name;
    registrations.complete();
    registrations.changed(NAME, NAMED.toByteArray());
    lookups.remove().run();
    assertThat(told.get(0).dataNodeIp()).isEqualTo("dn.example.org:9866");
    nameServer =
        name -> {
          throw new IllegalStateException("a name server that is none");
        };
    later.remove().run();
    assertThat(told.get(0).dataNodeIp()).isEqualTo("dn.example.org:9866");
    nameServer = sound;
    later.remove().run();
    assertThat(told.get(0).dataNodeIp()).isEqualTo("10.0.0.1:9866");
    assertThat(delays).containsExactly(Registrations.SOON, Registrations.SOON, Registrations.AGAIN);
  }

  @Test
  void aDataNodeMayComeBackAtAnotherAddress() {
    registrations.complete();
    registrations.changed(NAME, NAMED.toByteArray());
    lookups.remove().run();
    nameServer = name -> name;
    later.remove().run();
    assertThat(told.get(0).dataNodeIp()).as("what was known").isEqualTo("10.0.0.1:9866");
    nameServer = name -> name.replace("dn.example.org", "10.0.0.2");
    later.remove().run();
    assertThat(told.get(0).dataNodeIp()).isEqualTo("10.0.0.2:9866");
  }

  @Test
  void whoIsGoneIsNotLookedUpAgainAndWhoReturnsIs() {
    registrations.complete();
    registrations.changed(NAME, NAMED.toByteArray());
    lookups.remove().run();
    registrations.removed(NAME);
    assertThat(told).isEmpty();
    // As after a session of ZooKeeper that expired: at once, not when the old look-up is due.
    registrations.changed(NAME, NAMED.toByteArray());
    lookups.remove().run();
    assertThat(told).hasSize(1);
    assertThat(later).hasSize(2);
    later.remove().run();
    assertThat(later).as("the old one has ended").hasSize(1);
    registrations.removed(NAME);
    later.remove().run();
    assertThat(later).isEmpty();
    assertThat(lookups).isEmpty();
  }

  @Test
  void anotherNameIsLookedUpAtOnce() {
    registrations.complete();
    registrations.changed(NAME, NAMED.toByteArray());
    lookups.remove().run();
    DaemonInfo moved = NAMED.toBuilder().setDatanode("dn2.example.org:9866").build();
    nameServer = name -> name.replace("dn2.example.org", "10.0.0.3");
    registrations.changed(NAME, moved.toByteArray());
    lookups.remove().run();
    assertThat(told.get(0).dataNodeIp()).isEqualTo("10.0.0.3:9866");
  }

  @Test
  void whatIsGoneBeforeItsNameWasFoundStaysGone() {
    registrations.complete();
    registrations.changed(NAME, NAMED.toByteArray());
    registrations.removed(NAME);
    lookups.remove().run();
    assertThat(told).isEmpty();
  }

  @Test
  void whatBecomesUnsoundBeforeItsNameWasFoundStaysOut() {
    registrations.complete();
    registrations.changed(NAME, NAMED.toByteArray());
    registrations.changed(NAME, new byte[0]);
    lookups.remove().run();
    assertThat(told).isEmpty();
  }

  @Test
  void whateverElseStandsThereIsIgnoredInWords() {
    isIgnored("x", null, "none");
    isIgnored("x", new byte[0], "none");
    isIgnored("x", "hello".getBytes(StandardCharsets.UTF_8), "none");
    isIgnored("x", new byte[1 << 20], "none");
    isIgnored("x/y", SOUND.toByteArray(), "it is of 127.0.0.1,16060,5");
    isIgnored(SOUND.toBuilder().setVersion(Protocol.VERSION + 1).build(), "upgrade the older side");
    isIgnored(SOUND.toBuilder().setVersion(-1).build(), "upgrade the older side");
    isIgnored(SOUND.toBuilder().setHost("evil:1").build(), "host");
    isIgnored(SOUND.toBuilder().setHost("[").build(), "host");
  }

  @Test
  void garbageIsNeverMoreThanIgnored() {
    long seed = Seed.get();
    Random random = new Random(seed);
    // Without an address that would be looked up.
    byte[] sound = SOUND.toBuilder().clearDatanode().build().toByteArray();
    for (int i = 0; i < 10_000; i++) {
      byte[] data = sound.clone();
      for (int flips = 1 + random.nextInt(4); flips > 0; flips--) {
        data[random.nextInt(data.length)] ^= (byte) (1 << random.nextInt(8));
      }
      try {
        Registrations.parse(Registration.nodeName(SOUND), data);
      } catch (IllegalArgumentException e) {
        assertThat(e.getMessage()).as("seed " + seed).isNotEmpty();
      }
    }
  }
}
