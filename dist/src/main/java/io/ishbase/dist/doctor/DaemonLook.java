package io.ishbase.dist.doctor;

import io.ishbase.cluster.WebPages;
import io.ishbase.cluster.sample.ServerPage;
import io.ishbase.dist.doctor.ClusterFacts.Answer;
import io.ishbase.dist.doctor.ClusterFacts.Daemon;
import io.ishbase.dist.doctor.ClusterFacts.Trial;
import io.ishbase.plugin.node.DaemonClient;
import io.ishbase.plugin.node.StorageNode;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.DaemonInfo;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import io.ishbase.protocol.generated.IssnProtos.RowRange;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.ServerName;

/** What one daemon says of itself, and how it answers. */
final class DaemonLook {
  private static final String REFUSED = "REFUSED";
  private static final String NO_ANSWER = "NO_ANSWER";
  private static final Set<String> MAY_PASS = Set.of(NO_ANSWER, Code.FAILED.name());

  /** A machine that is busy may be late, and a daemon waits a second until HDFS opens a file. */
  private static final int TRIES = 4;

  private static final long TRIES_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final DaemonClient client;
  private final WebPages pages;

  DaemonLook(DaemonClient client, WebPages pages) {
    this.client = client;
    this.pages = pages;
  }

  /**
   * Looks at a daemon.
   *
   * @param name of its znode
   * @param dataNode its DataNode's address as {@code ip:port}
   * @param file that it is to read a row of; empty: none
   */
  Daemon at(String name, DaemonInfo info, String dataNode, String file) {
    String fault = RegistryReader.fault(name, info);
    if (!fault.isEmpty()) {
      return new Daemon(
          name,
          fault,
          "",
          info.getVersion(),
          dataNode,
          0,
          new Answer(Answer.Kind.SILENT, "not asked"),
          Trial.NONE,
          Seen.not(fault),
          Seen.not(fault),
          Seen.not(fault));
    }
    ServerName address = ServerName.valueOf(info.getHost(), info.getPort(), info.getStartCode());
    Answer answer = tried(() -> greet(address), each -> each.kind() == Answer.Kind.SILENT);
    boolean isTried = answer.kind() == Answer.Kind.ANSWERED && !file.isEmpty();
    Trial trial =
        isTried && !dataNode.isEmpty()
            ? tried(() -> tryRead(address, file), each -> MAY_PASS.contains(each.code()))
            : Trial.NONE;
    ServerLook look =
        new ServerLook(new ServerPage(pages, info.getHost() + ":" + info.getInfoPort()));
    Seen<Map<String, String>> settings =
        info.getInfoPort() == 0
            ? Seen.not("their page is switched off (ishbase.issn.info.port)")
            : look.settings();
    boolean hasPage = settings.value().isPresent();
    return new Daemon(
        name,
        "",
        info.getRelease(),
        info.getVersion(),
        dataNode,
        info.getWorker().getSlots(),
        answer,
        trial,
        settings,
        hasPage ? ServerLook.seen(look::hdfsReads) : Seen.not(settings.whyNot()),
        hasPage ? ServerLook.seen(look.page()::clock) : Seen.not(settings.whyNot()));
  }

  /** The address of the DataNode beside a daemon; empty if there is none. */
  static String dataNode(DaemonInfo info) {
    try {
      return StorageNode.resolve(info.getDatanode());
    } catch (IllegalArgumentException e) {
      return info.getDatanode(); // Its registration is not sound.
    }
  }

  private static <T> T tried(Supplier<T> question, Predicate<T> mayPass) {
    long begun = System.nanoTime();
    T answer = question.get();
    for (int again = 1;
        again < TRIES && mayPass.test(answer) && System.nanoTime() - begun < TRIES_NANOS;
        again++) {
      answer = question.get();
    }
    return answer;
  }

  private Answer greet(ServerName daemon) {
    try {
      await(client.greet(daemon));
      return new Answer(Answer.Kind.ANSWERED, "");
    } catch (ExecutionException e) {
      String why = ServerLook.first(e.getCause());
      return new Answer(why.startsWith(REFUSED) ? Answer.Kind.REFUSED : Answer.Kind.SILENT, why);
    } catch (TimeoutException e) {
      return new Answer(Answer.Kind.SILENT, "no answer in " + client.timeoutMillis() + " ms");
    }
  }

  /** Has it read the first row of a file, of which it sends keys and no values. */
  private Trial tryRead(ServerName daemon, String file) {
    int slash = file.lastIndexOf('/');
    ReadRequest request =
        ReadRequest.newBuilder()
            .setVersion(Protocol.VERSION)
            .setDirectory(file.substring(0, slash))
            .addFile(file.substring(slash + 1))
            .setReadPoint(Long.MAX_VALUE)
            .addRange(RowRange.getDefaultInstance())
            .setMaxBytes(1)
            .setMaxRows(1)
            .setNoValues(true)
            .setCacheBlocks(false)
            .build();
    try {
      ReadResponse answer = await(client.read(daemon, request));
      return new Trial(file, answer.getCode().name(), answer.getMessage());
    } catch (ExecutionException e) {
      return new Trial(file, NO_ANSWER, ServerLook.first(e.getCause()));
    } catch (TimeoutException e) {
      return new Trial(file, NO_ANSWER, "within " + client.timeoutMillis() + " ms");
    }
  }

  private <T> T await(Future<T> call) throws ExecutionException, TimeoutException {
    try {
      return call.get(client.timeoutMillis() + 1000L, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TimeoutException();
    }
  }
}
