package io.ishbase.plugin.compaction;

import io.ishbase.plugin.fuzz.MessageMutator;
import io.ishbase.protocol.AttemptDirectory;
import io.ishbase.protocol.MessageChecksum;
import io.ishbase.protocol.generated.CompactionProtos.CompactRequest;
import io.ishbase.protocol.generated.CompactionProtos.CompactResponse;
import io.ishbase.protocol.generated.CompactionProtos.CompactionService;
import io.ishbase.protocol.generated.CompactionProtos.CompactionState;
import io.ishbase.protocol.generated.CompactionProtos.FetchRequest;
import io.ishbase.protocol.generated.CompactionProtos.FetchResponse;
import io.ishbase.protocol.generated.CompactionProtos.ProgressRequest;
import io.ishbase.protocol.generated.CompactionProtos.ProgressResponse;
import io.ishbase.protocol.generated.CompactionProtos.WorkRequest;
import io.ishbase.protocol.generated.CompactionProtos.WorkResponse;
import io.ishbase.protocol.generated.IssnProtos.Code;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.protobuf.RpcController;

/** A worker that forges what it is asked for. One attempt at a time. */
final class ForgingWorker implements CompactionService.BlockingInterface {
  private static final String NEW_FILE = "0123456789abcdef0123456789abcdef";
  private static final String SOUND = "f/" + NEW_FILE;
  private static final int CELLS = 50;
  static final long SEQUENCE_ID = 1;
  private static final long ANSWER_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** How it forges. */
  private enum Forgery {
    NONE,
    /** Names of files that are none of the attempt's. */
    NAMES,
    /** The file has another number of cells than it says, is damaged, or is none. */
    FILE,
    /** Fields of what it says are others; the checksum fits. */
    FIELDS,
    /** Fields of what it says are others; the checksum does not fit. */
    DAMAGED,
    /** The result of another attempt. */
    OTHERS,
    /** It does not begin, and goes on nevertheless. */
    REFUSED
  }

  private static final Forgery[] ALL = Forgery.values();

  private final Configuration conf;
  private final HRegion region;
  private final AtomicLong nanos;
  private Random random = new Random(0);
  private Forgery forgery = Forgery.NONE;
  private volatile boolean wroteSound;
  private volatile ProgressResponse said = ProgressResponse.getDefaultInstance();

  /** {@code nanos}: a clock that it moves on with each answer. */
  ForgingWorker(Configuration conf, HRegion region, AtomicLong nanos) {
    this.conf = conf;
    this.region = region;
    this.nanos = nanos;
  }

  /** What it does about the next attempt is drawn from {@code newRandom}. */
  synchronized void forge(Random newRandom) {
    random = newRandom;
    forgery = ALL[random.nextInt(ALL.length)];
    wroteSound = false;
    said = ProgressResponse.getDefaultInstance();
  }

  String says() {
    return forgery.toString();
  }

  /** Whether the region server must take what it did. */
  boolean isSound() {
    return forgery == Forgery.NONE;
  }

  /** Whether the region server may take what was said of what was written. */
  boolean mayBeTaken() {
    return wroteSound
        && said.getOutputList().equals(List.of(SOUND))
        && said.getCells() == CELLS
        && said.getState() == CompactionState.DONE;
  }

  @Override
  public synchronized CompactResponse compact(RpcController controller, CompactRequest request) {
    Path attempt =
        Path.of(region.getRegionFileSystem().getRegionDir().toUri())
            .resolve(".tmp/" + AttemptDirectory.PREFIX + request.getAttempt());
    Path file = attempt.resolve(SOUND);
    try {
      if (forgery == Forgery.FILE) {
        writeForged(file);
      } else if (forgery != Forgery.OTHERS) {
        write(file, CELLS, SEQUENCE_ID);
        wroteSound = true;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    CompactResponse.Builder answer =
        CompactResponse.newBuilder().setCode(Code.OK).setMessage("begun");
    if (forgery == Forgery.REFUSED) {
      new MessageMutator(random).mutate(answer);
      answer.setCode(Code.forNumber(1 + random.nextInt(13)));
    }
    return MessageChecksum.sealed(answer.build());
  }

  private void writeForged(Path file) throws IOException {
    switch (random.nextInt(7)) {
      case 0 -> write(file, random.nextBoolean() ? CELLS - 1 : CELLS + 1, SEQUENCE_ID);
      case 1 -> Files.createDirectories(file);
      case 2 -> Files.write(file, new byte[random.nextInt(3000)]);
      case 3 -> {
        write(file, CELLS, SEQUENCE_ID);
        byte[] bytes = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(bytes, random.nextInt(bytes.length)));
      }
      case 4 -> {
        // Its trailer, mostly. If that still says how many cells there are, HBase's commit judges.
        write(file, CELLS, SEQUENCE_ID);
        wroteSound = true;
        byte[] bytes = Files.readAllBytes(file);
        for (int i = 0; i < 40; i++) {
          bytes[bytes.length - 1 - random.nextInt(400)] = (byte) random.nextInt();
        }
        Files.write(file, bytes);
      }
      case 5 -> write(file, CELLS, SEQUENCE_ID + 1 + random.nextInt(1000));
      default -> {
        byte[] garbage = new byte[random.nextInt(10_000)];
        random.nextBytes(garbage);
        Files.write(file, garbage);
      }
    }
  }

  private void write(Path file, int cells, long sequenceId) throws IOException {
    StoreFileWriter writer =
        new StoreFileWriter.Builder(conf, new CacheConfig(conf), region.getFilesystem())
            .withFilePath(new org.apache.hadoop.fs.Path(file.toUri()))
            .withFileContext(new HFileContextBuilder().build())
            .build();
    for (int row = 0; row < cells; row++) {
      writer.append(cell(row));
    }
    writer.appendMetadata(sequenceId, false);
    writer.close();
  }

  static KeyValue cell(int row) {
    byte[] family = CompactionFuzzer.FAMILY;
    return new KeyValue(Bytes.toBytes(row), family, family, 1, family);
  }

  @Override
  public synchronized ProgressResponse progress(RpcController controller, ProgressRequest request) {
    nanos.addAndGet(ANSWER_NANOS);
    ProgressResponse.Builder answer =
        ProgressResponse.newBuilder()
            .setState(CompactionState.DONE)
            .setCells(CELLS)
            .setTotalCells(CELLS)
            .setBytes(1000)
            .setActivity(nanos.get())
            .addOutput(SOUND);
    if (request.getCancel()) {
      return MessageChecksum.sealed(answer.build());
    }
    switch (forgery) {
      case NAMES -> names(answer);
      case FIELDS, DAMAGED -> {
        new MessageMutator(random).mutate(answer);
        if (!answer.isInitialized()) {
          answer.setState(CompactionState.UNKNOWN);
        }
      }
      default -> {}
    }
    ProgressResponse sealed = MessageChecksum.sealed(answer.build());
    said = sealed;
    return forgery == Forgery.DAMAGED
        ? sealed.toBuilder().setCrc32C(sealed.getCrc32C() ^ 1 << random.nextInt(32)).build()
        : sealed;
  }

  private void names(ProgressResponse.Builder answer) {
    String own = region.getStores().get(0).getStorefiles().iterator().next().getPath().toString();
    List<String> names =
        List.of(
            "",
            "/",
            "f/",
            NEW_FILE,
            "/" + SOUND,
            "g/" + NEW_FILE,
            "f//" + NEW_FILE,
            "./" + SOUND,
            "f/../" + SOUND,
            SOUND + "/",
            SOUND + "\0",
            "f/" + NEW_FILE.toUpperCase(Locale.ROOT),
            SOUND + "0",
            "f/" + NEW_FILE.substring(1),
            own,
            "../../f/" + own.substring(own.lastIndexOf('/') + 1),
            "../" + AttemptDirectory.PREFIX + "0".repeat(32) + "/" + SOUND,
            AttemptDirectory.MOB + "x",
            AttemptDirectory.MOB + "../" + SOUND,
            "file:///etc/passwd",
            "hdfs://nobody:1/" + SOUND);
    if (random.nextBoolean()) {
      answer.clearOutput();
    }
    for (int i = random.nextInt(3); i >= 0; i--) {
      answer.addOutput(random.nextInt(4) == 0 ? SOUND : names.get(random.nextInt(names.size())));
    }
    for (int i = random.nextInt(200) == 0 ? 10_000 : 0; i > 0; i--) {
      answer.addOutput(SOUND);
    }
  }

  @Override
  public WorkResponse work(RpcController controller, WorkRequest request) {
    return WorkResponse.getDefaultInstance();
  }

  @Override
  public FetchResponse fetch(RpcController controller, FetchRequest request) {
    return FetchResponse.getDefaultInstance();
  }
}
