package io.ishbase.plugin.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.Registration;
import io.ishbase.protocol.generated.IssnProtos.DaemonInfo;
import io.ishbase.testing.Seed;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What may stand below the znode of the daemons, written by whoever. */
class DaemonRegistryTest {
  private static final DaemonInfo SOUND =
      DaemonInfo.newBuilder()
          .setVersion(Protocol.VERSION)
          .setHost("127.0.0.1")
          .setPort(16060)
          .setStartCode(5)
          .setDatanode("127.0.0.1:9866")
          .addRole(Protocol.SCAN)
          .build();

  private static void isIgnored(String name, byte[] data, String why) {
    assertThatThrownBy(() -> DaemonRegistry.parse(name, data, null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(why);
  }

  private static void isIgnored(DaemonInfo info, String why) {
    isIgnored(Registration.nodeName(info), info.toByteArray(), why);
  }

  @Test
  void aSoundRegistrationIsAStorageNode() {
    StorageNode node =
        DaemonRegistry.parse(Registration.nodeName(SOUND), SOUND.toByteArray(), null);
    assertThat(node.address().toString()).isEqualTo("127.0.0.1,16060,5");
    assertThat(node.dataNodeIp()).isEqualTo("127.0.0.1:9866");
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
        DaemonRegistry.parse(Registration.nodeName(SOUND), data, null);
      } catch (IllegalArgumentException e) {
        assertThat(e.getMessage()).as("seed " + seed).isNotEmpty();
      }
    }
  }
}
