package io.ishbase.plugin.aggregate;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import java.io.IOException;
import java.lang.reflect.ParameterizedType;
import org.apache.hadoop.hbase.coprocessor.ColumnInterpreter;
import org.jspecify.annotations.Nullable;

/** Interpreters that clients name, as HBase's own endpoint makes them. */
final class Interpreters {
  /** Of {@code ColumnInterpreter}'s type parameters, the message that initializes it. */
  private static final int INITIAL = 2;

  private Interpreters() {}

  /**
   * One of that class.
   *
   * @param specific the message that initializes it; null: none
   * @throws IOException if the region server has no such interpreter, or it takes no such message
   */
  static ColumnInterpreter<?, ?, ?, ?, ?> make(String className, @Nullable ByteString specific)
      throws IOException {
    try {
      // It is not even initialized before it is known to be an interpreter.
      ColumnInterpreter<?, ?, ?, ?, ?> interpreter =
          Class.forName(className, false, Interpreters.class.getClassLoader())
              .asSubclass(ColumnInterpreter.class)
              .getDeclaredConstructor()
              .newInstance();
      if (specific != null) {
        initialize(interpreter, specific);
      }
      return interpreter;
    } catch (ReflectiveOperationException | ClassCastException e) {
      throw new IOException("Cannot use " + className + " to interpret values", e);
    }
  }

  @SuppressWarnings("unchecked") // its type parameter says which message it takes
  private static <P extends Message> void initialize(
      ColumnInterpreter<?, ?, P, ?, ?> interpreter, ByteString specific)
      throws ReflectiveOperationException {
    Class<?> direct = interpreter.getClass();
    while (direct.getSuperclass() != ColumnInterpreter.class) {
      direct = direct.getSuperclass();
    }
    ParameterizedType base = (ParameterizedType) direct.getGenericSuperclass();
    Class<?> message = (Class<?>) base.getActualTypeArguments()[INITIAL];
    interpreter.initialize(
        (P) message.getMethod("parseFrom", ByteString.class).invoke(null, specific));
  }
}
