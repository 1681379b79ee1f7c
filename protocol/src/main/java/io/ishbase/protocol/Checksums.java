package io.ishbase.protocol;

import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import java.util.zip.CRC32C;

/**
 * The checksums of a read: all of its request and all of its answer, but for the checksums
 * themselves. Each end computes them from the message that it has, for a message has one encoding.
 */
public final class Checksums {
  private Checksums() {}

  /** The request with its checksum. */
  public static ReadRequest sealed(ReadRequest request) {
    return request.toBuilder().setCrc32C(crc(request)).build();
  }

  public static boolean isIntact(ReadRequest request) {
    return request.hasCrc32C() && request.getCrc32C() == crc(request);
  }

  /** The answer with its checksum. */
  public static ReadResponse sealed(ReadResponse response) {
    return response.toBuilder().setCrc32C(crc(response)).build();
  }

  public static boolean isIntact(ReadResponse response) {
    return response.hasCrc32C() && response.getCrc32C() == crc(response);
  }

  private static int crc(ReadRequest request) {
    CRC32C crc = new CRC32C();
    ReadRequest covered = request.hasCrc32C() ? request.toBuilder().clearCrc32C().build() : request;
    crc.update(covered.toByteArray());
    return (int) crc.getValue();
  }

  private static int crc(ReadResponse response) {
    CRC32C crc = new CRC32C();
    crc.update(response.toBuilder().clearCrc32C().clearCells().build().toByteArray());
    response.getCells().asReadOnlyByteBufferList().forEach(crc::update);
    return (int) crc.getValue();
  }
}
