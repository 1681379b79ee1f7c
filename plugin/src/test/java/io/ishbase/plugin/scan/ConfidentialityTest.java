package io.ishbase.plugin.scan;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.plugin.node.Remembered;
import io.ishbase.plugin.node.WaitBudget;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.FsServerDefaults;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.util.DataChecksum;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfidentialityTest {
  private static final Path PLAIN = new Path("/hbase/plain");
  private static final Path IN_ZONE = new Path("/hbase/zone");

  private final Configuration conf = new Configuration(false);
  private final Files fs = new Files();

  @BeforeEach
  void open() {
    fs.initialize();
  }

  private boolean admits(Path file, boolean hasKey) {
    return new Confidentiality(conf, false).admits(fs, file, hasKey, new WaitBudget());
  }

  @ParameterizedTest
  @CsvSource({
    "'', false",
    "hbase.security.authentication=kerberos, false",
    "hbase.rpc.protection=privacy, false",
    "hbase.security.authentication=kerberos hbase.rpc.protection=integrity, false",
    "hbase.security.authentication=kerberos hbase.rpc.protection=Privacy, true",
    "'hbase.security.authentication=kerberos hbase.rpc.protection=privacy,integrity', false",
    "hbase.security.authentication=kerberos hbase.rpc.protection=privacy"
        + " hbase.ipc.client.fallback-to-simple-auth-allowed=true, false",
    "hbase.client.netty.tls.enabled=true, true",
    "hbase.server.netty.tls.enabled=true, false",
    "hbase.client.netty.tls.enabled=true"
        + " hbase.rpc.client.impl=org.apache.hadoop.hbase.ipc.BlockingRpcClient, false",
  })
  void onlyALineThatEncryptsCarriesWhatIsEncrypted(String settings, boolean encrypts) {
    set(settings);
    assertThat(admits(PLAIN, false)).isTrue();
    assertThat(admits(PLAIN, true)).isEqualTo(encrypts);
    fs.keyProvider = "kms://http@host/kms";
    assertThat(admits(PLAIN, false)).isTrue();
    assertThat(admits(IN_ZONE, false)).isEqualTo(encrypts);
    fs.encryptsTransfer = true;
    assertThat(admits(PLAIN, false)).isEqualTo(encrypts);
  }

  @ParameterizedTest
  @CsvSource({
    "'', true",
    "dfs.encrypt.data.transfer=true, false",
    "dfs.data.transfer.protection=authentication, true",
    "dfs.data.transfer.protection=privacy, false",
    "'dfs.data.transfer.protection=authentication,privacy', false",
    "dfs.data.transfer.saslproperties.resolver.class=Any, false",
  })
  void whatHdfsEncryptsInFlightDoesNotCross(String settings, boolean crosses) {
    set(settings);
    assertThat(admits(PLAIN, false)).isEqualTo(crosses);
    assertThat(new Confidentiality(conf, true).admits(fs, PLAIN)).isTrue();
  }

  /** Whatever may cross. */
  @Test
  void whatIsInAZoneIsEncryptedAtRest() {
    for (boolean isAllowed : new boolean[] {false, true}) {
      fs.keyProvider = "";
      assertThat(new Confidentiality(conf, isAllowed).mayBeInZone(fs, IN_ZONE)).isFalse();
      fs.keyProvider = "kms://http@host/kms";
      Confidentiality confidentiality = new Confidentiality(conf, isAllowed);
      assertThat(confidentiality.mayBeInZone(fs, IN_ZONE)).isTrue();
      assertThat(confidentiality.mayBeInZone(fs, PLAIN)).isFalse();
      assertThat(confidentiality.mayBeInZone(fs, new Path("/hbase/absent"))).isTrue();
      fs.fails = true;
      assertThat(new Confidentiality(conf, isAllowed).mayBeInZone(fs, PLAIN)).isTrue();
      fs.fails = false;
    }
  }

  @Test
  void whatCannotBeFoundOutCountsAsEncrypted() {
    fs.keyProvider = null;
    assertThat(admits(IN_ZONE, false)).isFalse();
    assertThat(admits(PLAIN, false)).isTrue();
    AtomicLong nanos = new AtomicLong();
    Confidentiality confidentiality =
        new Confidentiality(
            conf,
            false,
            new Remembered<>(1, known -> false, nanos::get, Runnable::run, Runnable::run));
    fs.fails = true;
    assertThat(confidentiality.admits(fs, PLAIN)).isFalse();
    fs.fails = false;
    assertThat(confidentiality.admits(fs, PLAIN)).as("not asked again at once").isFalse();
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(5));
    assertThat(confidentiality.admits(fs, PLAIN)).isTrue();
    fs.fails = true;
    nanos.addAndGet(TimeUnit.MINUTES.toNanos(10));
    assertThat(confidentiality.admits(fs, PLAIN)).as("as it was").isTrue();
    assertThat(confidentiality.admits(fs, new Path("/hbase/absent"))).isFalse();
  }

  private void set(String settings) {
    for (String setting : settings.split(" ")) {
      if (!setting.isEmpty()) {
        conf.set(
            setting.substring(0, setting.indexOf('=')),
            setting.substring(setting.indexOf('=') + 1));
      }
    }
  }

  /** A file system of which these tests say what it encrypts. */
  private static final class Files extends FilterFileSystem {
    private String keyProvider = "";
    private boolean encryptsTransfer;
    private boolean fails;

    Files() {
      super(new RawLocalFileSystem());
    }

    void initialize() {
      fs.setConf(new Configuration(false));
    }

    @Override
    public FsServerDefaults getServerDefaults(Path path) throws IOException {
      if (fails) {
        throw new IOException("made by the test");
      }
      return new FsServerDefaults(
          1, 512, 1, (short) 1, 1, encryptsTransfer, 0, DataChecksum.Type.CRC32, keyProvider);
    }

    @Override
    public FileStatus getFileStatus(Path path) throws IOException {
      if (path.getName().equals("absent")) {
        throw new FileNotFoundException("made by the test");
      }
      return new FileStatus(
          1, false, 1, 1, 1, 1, null, null, null, null, path, false, path.equals(IN_ZONE), false);
    }
  }
}
