package io.ishbase.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.protocol.Checksums;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import io.ishbase.protocol.generated.IssnProtos.SharedReadRequest;
import io.ishbase.protocol.generated.IssnProtos.SharedReadResponse;
import java.util.List;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.junit.jupiter.api.Test;

class SharedAnswersTest {
  private long now;
  private long nanosOfEach;
  private int bytesOfEach;
  private int begun;
  private int putOff;
  private final SharedAnswers answers = new SharedAnswers(this::answer, () -> putOff++, () -> now);

  private ReadResponse answer(ReadRequest read, long mostNanos) {
    now += Math.min(nanosOfEach, mostNanos);
    begun++;
    return ReadResponse.newBuilder()
        .setCode(read.getDirectory().equals("/gone") ? Code.NO_FILE : Code.OK)
        .setCells(ByteString.copyFrom(new byte[bytesOfEach]))
        .build();
  }

  private static SharedReadRequest request(String... directories) {
    SharedReadRequest.Builder request = SharedReadRequest.newBuilder();
    for (String directory : directories) {
      request.addRead(
          Checksums.sealed(
              ReadRequest.newBuilder()
                  .setVersion(Protocol.VERSION)
                  .setDirectory(directory)
                  .setReadPoint(1)
                  .build()));
    }
    return request.build();
  }

  private static List<Code> codes(SharedReadResponse response) {
    return response.getAnswerList().stream().map(ReadResponse::getCode).toList();
  }

  @Test
  void eachReadHasItsOwnAnswerThatNamesIt() {
    SharedReadRequest request = request("/a", "/gone", "/b");
    SharedReadResponse response = answers.to(request);
    assertThat(codes(response)).containsExactly(Code.OK, Code.NO_FILE, Code.OK);
    for (int i = 0; i < 3; i++) {
      assertThat(response.getAnswer(i).getAsked()).isEqualTo(request.getRead(i).getCrc32C());
    }
    assertThat(response.getAnswerList()).allMatch(Checksums::isIntact);
  }

  @Test
  void whatIsNotBegunInTimeIsPutOff() {
    nanosOfEach = SharedAnswers.NANOS / 2 + 1;
    SharedReadResponse response = answers.to(request("/a", "/b", "/c", "/d"));
    assertThat(codes(response)).containsExactly(Code.OK, Code.OK, Code.LATER, Code.LATER);
    assertThat(begun).isEqualTo(2);
    assertThat(putOff).isEqualTo(2);
    assertThat(response.getAnswerList()).allMatch(Checksums::isIntact);
  }

  @Test
  void whatWouldMakeTheAnswerTooLargeIsPutOff() {
    bytesOfEach = SharedAnswers.BYTES;
    assertThat(codes(answers.to(request("/a", "/b")))).containsExactly(Code.OK, Code.LATER);
  }

  @Test
  void theFirstReadIsAnsweredHoweverSlow() {
    nanosOfEach = 100 * SharedAnswers.NANOS;
    bytesOfEach = 4 * SharedAnswers.BYTES;
    assertThat(codes(answers.to(request("/a")))).containsExactly(Code.OK);
  }

  /** One that goes through deleted rows must not keep the others' answers. */
  @Test
  void noReadTakesLongForOthersToWait() {
    nanosOfEach = 500_000_000;
    SharedReadResponse response = answers.to(request("/a", "/b"));
    assertThat(codes(response)).containsExactly(Code.OK, Code.LATER);
    assertThat(now).isEqualTo(SharedAnswers.MOST_NANOS);
    now = 0;
    answers.to(request("/a"));
    assertThat(now).isEqualTo(nanosOfEach);
  }
}
