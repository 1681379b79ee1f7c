package io.ishbase.plugin.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.daemon.FuzzedDaemon;
import io.ishbase.daemon.rpc.Parsing;
import io.ishbase.daemon.rpc.RequestException;
import io.ishbase.plugin.master.Managers;
import io.ishbase.plugin.node.DaemonException;
import io.ishbase.plugin.scan.NodeBatch;
import io.ishbase.protocol.Checksums;
import io.ishbase.protocol.MessageChecksum;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.ReadSet;
import io.ishbase.protocol.generated.CompactionProtos.WorkRequest;
import io.ishbase.protocol.generated.IssnProtos.AggregateResponse;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import io.ishbase.protocol.generated.IssnProtos.SharedReadResponse;
import io.ishbase.testing.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.hadoop.hbase.CellComparatorImpl;
import org.apache.hbase.thirdparty.com.google.protobuf.BlockingService;
import org.apache.hbase.thirdparty.com.google.protobuf.Descriptors.MethodDescriptor;
import org.apache.hbase.thirdparty.com.google.protobuf.Message;
import org.apache.hbase.thirdparty.com.google.protobuf.ServiceException;
import org.apache.hbase.thirdparty.com.google.protobuf.UninitializedMessageException;

/**
 * Requests at a daemon, its worker and the manager, in this process: parsed and answered as their
 * RPC servers do it.
 */
final class RequestFuzzer implements Fuzzer {
  /** Compactions that are begun take a thread of their own; so only few requests have a chance. */
  private static final int SOUND_COMPACTION_ONE_IN = 300;

  private static final int ATTEMPTS = 20;

  private final FuzzedStore store;
  private final ValidRequests valid;
  private final FuzzedDaemon daemon;
  private final List<BlockingService> services;
  private final List<Served> checked = new ArrayList<>();
  private final Map<String, Long> counts = new TreeMap<>();
  private byte[] input = new byte[0];

  /** A valid request, and what it is answered. */
  private record Served(Method method, Message request, Message answer) {}

  /** By the place of the service among all, and that of the method in it. */
  private record Method(int service, int index) {}

  RequestFuzzer(Path directory) throws IOException {
    store = new FuzzedStore(directory);
    valid = new ValidRequests(store);
    daemon = new FuzzedDaemon(store.conf(), store.fs(), store.root());
    services = List.of(daemon.reads(), daemon.compactions(), Managers.overWorkers(store.conf(), 3));
    valid.reads().forEach(this::serves);
    valid.sharedReads().forEach(this::serves);
    valid.aggregates().forEach(this::serves);
    valid.small().forEach(this::serves);
    assertThat(checked.stream().filter(served -> isServed(served.answer())))
        .hasSizeGreaterThan(checked.size() * 3 / 4);
  }

  private void serves(Message request) {
    Method method = method(request);
    try {
      Message answer;
      do {
        answer = answer(method, request);
        // One whose time was over is no truth.
      } while (!without(answer).equals(without(answer(method, request))));
      checked.add(new Served(method, request, answer));
    } catch (ServiceException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean isServed(Message answer) {
    Object code =
        answer.getDescriptorForType().findFieldByName("code") == null
            ? Code.OK.getValueDescriptor()
            : answer.getField(answer.getDescriptorForType().findFieldByName("code"));
    return code.equals(Code.OK.getValueDescriptor());
  }

  private Method method(Message request) {
    for (int service = 0; service < services.size(); service++) {
      for (MethodDescriptor method : services.get(service).getDescriptorForType().getMethods()) {
        if (method.getInputType() == request.getDescriptorForType()) {
          return new Method(service, method.getIndex());
        }
      }
    }
    throw new IllegalArgumentException(request.getDescriptorForType().getName());
  }

  private MethodDescriptor descriptor(Method method) {
    return services.get(method.service()).getDescriptorForType().getMethods().get(method.index());
  }

  private Message answer(Method method, Message request) throws ServiceException {
    return services.get(method.service()).callBlockingMethod(descriptor(method), null, request);
  }

  @Override
  public void tryOne(Random random) throws Exception {
    Message request = drawn(random);
    Method method = method(request);
    byte[] bytes = request.toByteArray();
    if (random.nextInt(8) == 0) {
      bytes = MessageMutator.bytes(random, bytes);
    }
    input = new byte[bytes.length + 2];
    input[0] = (byte) method.service();
    input[1] = (byte) method.index();
    System.arraycopy(bytes, 0, input, 2, bytes.length);
    tryInput();
  }

  /** A valid request that is changed, mostly with the checksum that it then should have. */
  private Message drawn(Random random) throws IOException {
    int kind = random.nextInt(100);
    boolean isSealed = random.nextInt(4) > 0;
    Message sound;
    if (kind < 70) {
      sound = one(valid.reads(), random);
    } else if (kind < 76) {
      sound = one(valid.sharedReads(), random);
    } else if (kind < 84) {
      sound = one(valid.aggregates(), random);
    } else if (kind < 86) {
      sound = one(valid.small(), random);
    } else if (kind < 88) {
      String attempt = attempt(random);
      sound = one(valid.compactions(attempt), random);
      isSealed = random.nextInt(SOUND_COMPACTION_ONE_IN) == 0;
      if (isSealed && random.nextInt(4) > 0) {
        store.fs().mkdirs(new org.apache.hadoop.fs.Path(store.attempt(attempt), "f"));
      }
    } else if (kind < 94) {
      sound = one(valid.aboutCompactions(attempt(random)), random);
    } else {
      sound = valid.place("ticket" + random.nextInt());
    }
    Message.Builder changed = sound.toBuilder();
    new MessageMutator(random).mutate(changed);
    Message request = changed.buildPartial();
    return isSealed ? valid.sealed(request, random) : request;
  }

  private static String attempt(Random random) {
    return String.format("%032x", random.nextInt(ATTEMPTS));
  }

  private static <T> T one(List<T> all, Random random) {
    return all.get(random.nextInt(all.size()));
  }

  private void tryInput() throws Exception {
    Method method = new Method(input[0], input[1]);
    String name = descriptor(method).getName();
    byte[] bytes = new byte[input.length - 2];
    System.arraycopy(input, 2, bytes, 0, bytes.length);
    Message request;
    try {
      request = Parsing.request(services.get(method.service()), descriptor(method), bytes);
    } catch (IOException | UninitializedMessageException e) {
      count(name, "not parsed");
      return;
    }
    Message answer;
    try {
      answer = answer(method, request);
    } catch (ServiceException e) {
      assertThat(e).hasCauseInstanceOf(RequestException.class);
      count(name, "refused by an exception");
      return;
    }
    judge(name, request, answer);
  }

  private void judge(String name, Message request, Message answer) throws IOException {
    if (answer instanceof ReadResponse read) {
      judge(name, (ReadRequest) request, read);
    } else if (answer instanceof SharedReadResponse shared) {
      for (ReadResponse each : shared.getAnswerList()) {
        isIntact(Checksums.isIntact(each));
        hasReason(name, each.getCode(), each.getMessage());
      }
      count(name, "answered");
    } else {
      var code = answer.getDescriptorForType().findFieldByName("code");
      if (answer.getDescriptorForType().findFieldByName("crc32c") != null) {
        isIntact(MessageChecksum.isIntact(answer));
      }
      count(
          name,
          code == null || !answer.hasField(code) ? "answered" : answer.getField(code).toString());
    }
  }

  private void judge(String name, ReadRequest request, ReadResponse answer) throws IOException {
    isIntact(Checksums.isIntact(answer));
    hasReason(name, answer.getCode(), answer.getMessage());
    count(name, answer.getCode().name());
    if (answer.getCode() == Code.OK) {
      // Of cells that no region server asked for, either.
      if (answer.getCells().size() > 2 * FuzzedDaemon.MAX_BATCH_BYTES) {
        throw new AssertionError("An answer of " + answer.getCells().size() + " bytes");
      }
      if (!ReadSet.isShort(request) && request.getRangeCount() > 0) {
        try {
          NodeBatch.of(answer, request, null, CellComparatorImpl.COMPARATOR);
        } catch (DaemonException e) {
          // Who asks for rows in disorder gets them so.
          count(name, "an answer that no region server would take");
        }
      }
    }
  }

  private static void isIntact(boolean isIntact) {
    if (!isIntact) {
      throw new AssertionError("An answer with a wrong checksum");
    }
  }

  /**
   * A daemon that says FAILED takes it for its own fault, or a file's, and opens the files anew.
   */
  private static void hasReason(String name, Code code, String message) {
    boolean isAnswered = code == Code.OK || code == Code.LATER;
    if (code == Code.FAILED || code == Code.CORRUPT || !isAnswered && message.isEmpty()) {
      throw new AssertionError(name + ": " + code + " " + message);
    }
  }

  private void count(String name, String outcome) {
    counts.merge(name + ": " + outcome, 1L, Long::sum);
  }

  @Override
  public void check() throws Exception {
    for (Served served : checked) {
      Message known = without(served.answer());
      Message again = without(answer(served.method(), served.request()));
      for (int i = 0; i < 3 && !again.equals(known); i++) {
        // The time of an answer may end early, on a machine that others use, too.
        again = without(answer(served.method(), served.request()));
      }
      assertThat(again).as("%s", served.request()).isEqualTo(known);
    }
    assertThat(daemon.isWithinBounds()).isTrue();
    assertThat(store.strangers()).isEmpty();
    // Whoever keeps compactions away may do so.
    WorkRequest welcome =
        MessageChecksum.sealed(
            WorkRequest.newBuilder().setVersion(Protocol.VERSION).setDrain(false).build());
    assertThat(isServed(answer(method(welcome), welcome))).isTrue();
    assertThat(
            isServed(
                answer(method(valid.place("t")), MessageChecksum.sealed(valid.place("valid")))))
        .isTrue();
  }

  /** But for what need not be equal: which blocks were cached, how busy it is, how it is packed. */
  private static Message without(Message answer) {
    if (answer instanceof ReadResponse read) {
      ReadResponse.Builder same =
          read.toBuilder()
              .clearBlockBytes()
              .clearBlockCell()
              .clearStorageBytes()
              .clearStorageReads()
              .clearCachedBytes()
              .clearLoadPercent()
              .clearDictionary()
              .clearCrc32C();
      return same.build();
    }
    if (answer instanceof SharedReadResponse shared) {
      // Which of them are put off, and what comes first, depends on the time.
      SharedReadResponse.Builder codes = SharedReadResponse.newBuilder();
      shared.getAnswerList().stream()
          .map(each -> each.getCode() == Code.LATER ? Code.OK : each.getCode())
          .sorted()
          .forEach(code -> codes.addAnswer(ReadResponse.newBuilder().setCode(code)));
      return codes.build();
    }
    if (answer instanceof AggregateResponse aggregate) {
      // It is about few rows, as many as fit into its turn.
      return aggregate.toBuilder()
          .clearRows()
          .clearValue()
          .clearNextRow()
          .clearBlockBytes()
          .clearLoadPercent()
          .clearCrc32C()
          .build();
    }
    return answer;
  }

  @Override
  public byte[] input() {
    return input;
  }

  @Override
  public void retry(byte[] again) throws Exception {
    input = again;
    tryInput();
  }

  @Override
  public Map<String, Long> counts() {
    return counts;
  }

  @Override
  public void settle() {
    Await.until("the end of compactions", () -> daemon.running() == 0);
  }

  @Override
  public void close() {
    daemon.close();
  }
}
