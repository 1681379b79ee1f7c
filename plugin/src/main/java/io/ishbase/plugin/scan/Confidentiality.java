package io.ishbase.plugin.scan;

import io.ishbase.plugin.node.Remembered;
import io.ishbase.plugin.node.WaitBudget;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collection;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FsServerDefaults;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.ipc.NettyRpcClient;
import org.apache.hadoop.hbase.ipc.RpcClientFactory;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What may cross the line between region servers and storage daemons. What HBase or HDFS encrypts,
 * at rest or in flight, does so only if the line encrypts as well, or if the operator allows it
 * ({@code ishbase.encrypted}):
 *
 * <ul>
 *   <li>HFiles with a key of their own (HBase's encryption of a family);
 *   <li>files in an encryption zone of HDFS;
 *   <li>all files where HDFS encrypts its data transfer ({@code dfs.encrypt.data.transfer}, or a
 *       {@code dfs.data.transfer.protection} that may be {@code privacy}).
 * </ul>
 *
 * <p>The line encrypts with TLS, or with Kerberos and {@code hbase.rpc.protection=privacy}. What
 * cannot be found out counts as encrypted.
 */
public final class Confidentiality {
  private static final Logger LOG = LoggerFactory.getLogger(Confidentiality.class);

  /**
   * What a file system says of all its files.
   *
   * @param encryptsTransfer whether it encrypts what it sends
   * @param mayHaveZones whether some of its files may be encrypted
   */
  record Encryption(boolean encryptsTransfer, boolean mayHaveZones) {}

  private static final int MAX_FILE_SYSTEMS = 100;

  private final boolean admitsAll;
  private final boolean encryptsTransfer;
  private final Remembered<Encryption> fileSystems;

  /**
   * Whether a file, by its path, is in an encryption zone. It cannot be moved across its border.
   */
  private final Remembered<Boolean> inZones = Remembered.ofFiles(known -> false);

  /**
   * @param site the configuration of the process
   * @param isAllowed whether all may cross in any case
   */
  public Confidentiality(Configuration site, boolean isAllowed) {
    this(site, isAllowed, new Remembered<>(MAX_FILE_SYSTEMS));
  }

  Confidentiality(Configuration site, boolean isAllowed, Remembered<Encryption> fileSystems) {
    this.fileSystems = fileSystems;
    this.admitsAll = isAllowed || isLineEncrypted(site);
    this.encryptsTransfer = isTransferEncrypted(site);
  }

  /** Whether all that region server and daemon say to each other is encrypted. */
  static boolean isLineEncrypted(Configuration conf) {
    String client = conf.get(RpcClientFactory.CUSTOM_RPC_CLIENT_IMPL_CONF_KEY, "");
    boolean hasTls =
        conf.getBoolean("hbase.client.netty.tls.enabled", false)
            && (client.isEmpty() || client.equals(NettyRpcClient.class.getName()));
    boolean hasPrivacy =
        "kerberos".equalsIgnoreCase(conf.get("hbase.security.authentication"))
            && Arrays.stream(conf.get("hbase.rpc.protection", "").split(",", -1))
                .allMatch(protection -> protection.trim().equalsIgnoreCase("privacy"))
            // A daemon that asks for no Kerberos would be answered in the clear.
            && !conf.getBoolean("hbase.ipc.client.fallback-to-simple-auth-allowed", false);
    return hasTls || hasPrivacy;
  }

  /** Whether HDFS's clients of this configuration encrypt what DataNodes send them, or may. */
  static boolean isTransferEncrypted(Configuration conf) {
    return conf.getBoolean("dfs.encrypt.data.transfer", false)
        || Arrays.stream(conf.get("dfs.data.transfer.protection", "").split(","))
            .anyMatch(protection -> protection.trim().equalsIgnoreCase("privacy"))
        // Decides for each connection.
        || conf.get("dfs.data.transfer.saslproperties.resolver.class") != null;
  }

  /** Whether HBase has encrypted an HFile. */
  public static boolean hasKey(StoreFileReader file) {
    return file.getHFileReader().getTrailer().getEncryptionKey() != null;
  }

  /** Whether files of a store are so: those of a family that is not encrypted any more may be. */
  public static boolean hasKeys(HStore store) {
    return haveKeys(store.getStorefiles());
  }

  /** Whether any of the files is so, of those that are open. */
  public static boolean haveKeys(Collection<HStoreFile> files) {
    return files.stream()
        .map(HStoreFile::getReader)
        .anyMatch(reader -> reader != null && hasKey(reader));
  }

  /** Whether everything may cross, encrypted at rest or not. */
  boolean admitsAll() {
    return admitsAll;
  }

  /**
   * Whether the cells of a file may cross.
   *
   * @param hasKey whether the HFile itself is encrypted
   * @param budget of the reader, for all its files
   */
  boolean admits(FileSystem fs, Path file, boolean hasKey, WaitBudget budget) {
    return admitsAll || !hasKey && admits(fs, file, budget);
  }

  /** Whether a file is, or may be, in an encryption zone. */
  public boolean mayBeInZone(FileSystem fs, Path file) {
    return !Boolean.FALSE.equals(isInZone(fs, file));
  }

  /** Whether a file is in an encryption zone; null: it cannot be found out now. */
  public @Nullable Boolean isInZone(FileSystem fs, Path file) {
    WaitBudget budget = new WaitBudget();
    Encryption encryption = encryption(fs, file, budget);
    return encryption == null ? null : isInZone(encryption, fs, file, budget);
  }

  private @Nullable Boolean isInZone(
      Encryption encryption, FileSystem fs, Path file, WaitBudget budget) {
    return encryption.mayHaveZones
        ? inZones.get(file.toUri().getPath(), () -> askWhetherInZone(fs, file), budget)
        : Boolean.FALSE;
  }

  /** Whether the bytes of a file, as HDFS shows them, may cross. */
  public boolean admits(FileSystem fs, Path file) {
    return admits(fs, file, new WaitBudget());
  }

  private boolean admits(FileSystem fs, Path file, WaitBudget budget) {
    if (admitsAll) {
      return true;
    }
    Encryption encryption = encryption(fs, file, budget);
    return encryption != null
        && !encryption.encryptsTransfer
        && Boolean.FALSE.equals(isInZone(encryption, fs, file, budget));
  }

  private @Nullable Encryption encryption(FileSystem fs, Path file, WaitBudget budget) {
    return fileSystems.get(fs.getUri().toString(), () -> encryption(fs, file), budget);
  }

  /** Null if it cannot be found out now. */
  private @Nullable Encryption encryption(FileSystem fs, Path file) {
    if (encryptsTransfer) {
      return new Encryption(true, true);
    }
    try {
      FsServerDefaults defaults = fs.getServerDefaults(file);
      String keyProvider = defaults.getKeyProviderUri();
      return new Encryption(
          defaults.getEncryptDataTransfer(), keyProvider == null || !keyProvider.isEmpty());
    } catch (IOException e) {
      LOG.warn("{} does not say whether it encrypts: taken for encrypted", fs.getUri(), e);
      return null;
    }
  }

  /** Null if it cannot be found out now; then it is not remembered. */
  private static @Nullable Boolean askWhetherInZone(FileSystem fs, Path file) {
    try {
      return fs.getFileStatus(file).isEncrypted();
    } catch (IOException e) {
      LOG.warn("HDFS does not say whether {} is encrypted: taken for encrypted", file, e);
      return null;
    }
  }
}
