package io.ishbase.protocol;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.Cleaner;
import java.util.function.Supplier;

/** One for each thread, closed some time after the thread has ended. Thread safe. */
final class PerThread<T extends Closeable> {
  private static final Cleaner CLEANER = Cleaner.create();

  private record Holder<T>(T held) {}

  private final ThreadLocal<Holder<T>> holders;

  PerThread(Supplier<T> maker) {
    holders = ThreadLocal.withInitial(() -> holder(maker.get()));
  }

  private static <T extends Closeable> Holder<T> holder(T held) {
    Holder<T> holder = new Holder<>(held);
    CLEANER.register(holder, () -> close(held));
    return holder;
  }

  private static void close(Closeable held) {
    try {
      held.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  T get() {
    return holders.get().held;
  }
}
