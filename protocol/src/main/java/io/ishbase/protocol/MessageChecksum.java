package io.ishbase.protocol;

import java.util.zip.CRC32C;
import org.apache.hbase.thirdparty.com.google.protobuf.Descriptors.FieldDescriptor;
import org.apache.hbase.thirdparty.com.google.protobuf.Message;

/**
 * The checksum of a message about compactions or aggregates: of all its fields but {@code crc32c},
 * which holds it. A read point, a list of files or a delete rule in which one bit is another is
 * refused instead of obeyed. TCP's own checksum misses one damaged packet in some ten thousand.
 */
public final class MessageChecksum {
  private MessageChecksum() {}

  /** {@code message} with its checksum. */
  @SuppressWarnings("unchecked") // a message's builder builds its kind
  public static <M extends Message> M sealed(M message) {
    return (M) message.toBuilder().setField(field(message), crc(message)).build();
  }

  /** Whether the message has a checksum and it is right. */
  public static boolean isIntact(Message message) {
    return message.hasField(field(message))
        && (int) message.getField(field(message)) == crc(message);
  }

  private static FieldDescriptor field(Message message) {
    return message.getDescriptorForType().findFieldByName("crc32c");
  }

  private static int crc(Message message) {
    CRC32C crc = new CRC32C();
    crc.update(message.toBuilder().clearField(field(message)).build().toByteArray());
    return (int) crc.getValue();
  }
}
