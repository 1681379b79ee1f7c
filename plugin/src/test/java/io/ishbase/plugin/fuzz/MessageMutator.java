package io.ishbase.plugin.fuzz;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.apache.hbase.thirdparty.com.google.protobuf.Descriptors.EnumValueDescriptor;
import org.apache.hbase.thirdparty.com.google.protobuf.Descriptors.FieldDescriptor;
import org.apache.hbase.thirdparty.com.google.protobuf.Message;
import org.apache.hbase.thirdparty.com.google.protobuf.UnknownFieldSet;

/** Changes messages field by field: numbers, lengths, counts, texts, what is there at all. */
public final class MessageMutator {
  private static final int MAX_DEPTH = 4;

  /** Of a field that has as many of its elements as nobody sends; seldom, for it takes its time. */
  private static final int MANY = 10_001;

  private static final int MANY_ONE_IN = 3_000;

  private static final List<String> TEXTS =
      List.of(
          "",
          "/",
          ".",
          "..",
          "../..",
          "/..",
          "//[x",
          "a/../b",
          "\0",
          "hdfs://nobody:1/x",
          "file:///etc/passwd",
          "%2e%2e",
          "f".repeat(300),
          "\n",
          "0123456789abcdef0123456789abcdef",
          "-1",
          ".tmp",
          "hbase:meta");

  private final Random random;

  public MessageMutator(Random random) {
    this.random = random;
  }

  /** Changes one field or a few. */
  public void mutate(Message.Builder message) {
    mutate(message, 0);
  }

  private void mutate(Message.Builder message, int depth) {
    int changes = 1;
    while (changes < 6 && random.nextInt(3) == 0) {
      changes++;
    }
    for (int i = 0; i < changes; i++) {
      mutateOne(message, depth);
    }
  }

  private void mutateOne(Message.Builder message, int depth) {
    if (random.nextInt(40) == 0) {
      addUnknown(message);
      return;
    }
    FieldDescriptor field = field(message);
    if (field.isRepeated()) {
      mutateRepeated(message, field, depth);
    } else if (message.hasField(field) && random.nextInt(6) == 0) {
      message.clearField(field);
    } else {
      message.setField(field, changed(message, field, message.getField(field), depth));
    }
  }

  /** Mostly one that is set. */
  private FieldDescriptor field(Message.Builder message) {
    if (random.nextInt(3) > 0) {
      List<FieldDescriptor> present = new ArrayList<>(message.getAllFields().keySet());
      if (!present.isEmpty()) {
        return present.get(random.nextInt(present.size()));
      }
    }
    List<FieldDescriptor> all = message.getDescriptorForType().getFields();
    return all.get(random.nextInt(all.size()));
  }

  private void mutateRepeated(Message.Builder message, FieldDescriptor field, int depth) {
    List<Object> elements = new ArrayList<>((List<?>) message.getField(field));
    int size = elements.size();
    switch (random.nextInt(7)) {
      case 0 -> elements.clear();
      case 1 -> Collections.shuffle(elements, random);
      case 2 -> {
        if (size > 0) {
          elements.remove(random.nextInt(size));
        }
      }
      case 3 -> {
        if (size > 0) {
          elements.add(elements.get(random.nextInt(size)));
        }
      }
      case 4 -> elements.add(changed(message, field, fresh(message, field), depth));
      default -> {
        if (size > 0) {
          int at = random.nextInt(size);
          elements.set(at, changed(message, field, elements.get(at), depth));
        }
      }
    }
    if (random.nextInt(MANY_ONE_IN) == 0 && !elements.isEmpty()) {
      Object one = elements.get(0);
      while (elements.size() < MANY) {
        elements.add(one);
      }
    }
    message.setField(field, elements);
  }

  private static Object fresh(Message.Builder message, FieldDescriptor field) {
    return field.getJavaType() == FieldDescriptor.JavaType.MESSAGE
        ? message.newBuilderForField(field).buildPartial()
        : switch (field.getJavaType()) {
          case INT -> 0;
          case LONG -> 0L;
          case FLOAT -> 0f;
          case DOUBLE -> 0d;
          case BOOLEAN -> false;
          case STRING -> "";
          case BYTE_STRING -> ByteString.EMPTY;
          case ENUM -> field.getEnumType().getValues().get(0);
          case MESSAGE -> throw new IllegalStateException();
        };
  }

  private Object changed(Message.Builder message, FieldDescriptor field, Object old, int depth) {
    return switch (field.getJavaType()) {
      case INT -> number((Integer) old);
      case LONG -> number((Long) old);
      case FLOAT -> (float) real();
      case DOUBLE -> real();
      case BOOLEAN -> !(Boolean) old;
      case ENUM -> {
        List<EnumValueDescriptor> values = field.getEnumType().getValues();
        yield values.get(random.nextInt(values.size()));
      }
      case STRING -> text((String) old);
      case BYTE_STRING ->
          field.getName().equals("filter") && random.nextBoolean()
              ? new FilterDraw(random).draw()
              : bytes((ByteString) old);
      case MESSAGE -> {
        Message.Builder part = message.newBuilderForField(field).mergeFrom((Message) old);
        if (depth < MAX_DEPTH) {
          mutate(part, depth + 1);
        }
        yield part.buildPartial();
      }
    };
  }

  private int number(int old) {
    return switch (random.nextInt(9)) {
      case 0 -> 0;
      case 1 -> -1;
      case 2 -> Integer.MIN_VALUE;
      case 3 -> Integer.MAX_VALUE;
      case 4 -> old + 1;
      case 5 -> old - 1;
      case 6 -> old ^ 1 << random.nextInt(32);
      case 7 -> random.nextInt(1000);
      default -> random.nextInt();
    };
  }

  private long number(long old) {
    return switch (random.nextInt(9)) {
      case 0 -> 0;
      case 1 -> -1;
      case 2 -> Long.MIN_VALUE;
      case 3 -> Long.MAX_VALUE;
      case 4 -> old + 1;
      case 5 -> old - 1;
      case 6 -> old ^ 1L << random.nextInt(64);
      case 7 -> random.nextInt(1000);
      default -> random.nextLong();
    };
  }

  private double real() {
    return switch (random.nextInt(6)) {
      case 0 -> Double.NaN;
      case 1 -> Double.POSITIVE_INFINITY;
      case 2 -> Double.NEGATIVE_INFINITY;
      case 3 -> -0.0;
      case 4 -> Double.MAX_VALUE;
      default -> random.nextGaussian();
    };
  }

  private String text(String old) {
    String other = TEXTS.get(random.nextInt(TEXTS.size()));
    int at = random.nextInt(old.length() + 1);
    return switch (random.nextInt(6)) {
      case 0 -> other;
      case 1 -> old + other;
      case 2 -> old + "/" + other;
      case 3 -> old.substring(0, at) + other + old.substring(at);
      case 4 -> old.substring(0, at);
      default -> old.substring(at);
    };
  }

  private ByteString bytes(ByteString old) {
    return ByteString.copyFrom(bytes(random, old.toByteArray()));
  }

  /** The bytes with some that are others, more, or fewer. */
  public static byte[] bytes(Random random, byte[] old) {
    byte[] bytes = old.clone();
    int changes = 1 + random.nextInt(3);
    for (int i = 0; i < changes; i++) {
      int at = bytes.length == 0 ? 0 : random.nextInt(bytes.length);
      switch (random.nextInt(7)) {
        case 0 -> bytes = slice(bytes, 0, at);
        case 1 -> bytes = slice(bytes, at, bytes.length);
        case 2 -> {
          // Once more, from somewhere on.
          byte[] longer = Arrays.copyOf(bytes, bytes.length + at);
          System.arraycopy(bytes, 0, longer, bytes.length, at);
          bytes = longer;
        }
        case 3 -> {
          byte[] more = new byte[random.nextInt(random.nextInt(500) == 0 ? 70_000 : 20)];
          random.nextBytes(more);
          byte[] longer = Arrays.copyOf(bytes, bytes.length + more.length);
          System.arraycopy(bytes, at, longer, at + more.length, bytes.length - at);
          System.arraycopy(more, 0, longer, at, more.length);
          bytes = longer;
        }
        default -> {
          if (bytes.length > 0) {
            bytes[at] =
                switch (random.nextInt(4)) {
                  case 0 -> (byte) (bytes[at] ^ 1 << random.nextInt(8));
                  case 1 -> (byte) 0x7f;
                  case 2 -> (byte) 0xff;
                  default -> (byte) random.nextInt(256);
                };
          }
        }
      }
    }
    return bytes;
  }

  private static byte[] slice(byte[] bytes, int from, int to) {
    return Arrays.copyOfRange(bytes, from, to);
  }

  private void addUnknown(Message.Builder message) {
    UnknownFieldSet.Field.Builder field = UnknownFieldSet.Field.newBuilder();
    switch (random.nextInt(4)) {
      case 0 -> field.addVarint(random.nextLong());
      case 1 -> field.addFixed32(random.nextInt());
      case 2 -> field.addLengthDelimited(ByteString.copyFrom(new byte[random.nextInt(100)]));
      default -> field.addGroup(UnknownFieldSet.getDefaultInstance());
    }
    // Of a number that has another type, too.
    message.setUnknownFields(
        UnknownFieldSet.newBuilder(message.getUnknownFields())
            .mergeField(1 + random.nextInt(40), field.build())
            .build());
  }
}
