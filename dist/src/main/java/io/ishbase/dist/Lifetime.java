package io.ishbase.dist;

/**
 * An action that is done once, at the latest when the program ends, by Ctrl-C too. Others wait
 * until it is done.
 */
final class Lifetime implements AutoCloseable {
  private static volatile boolean ending;

  private final Thread hook;
  private Runnable action;

  Lifetime(Runnable action) {
    this.action = action;
    this.hook =
        new Thread(
            () -> {
              ending = true;
              close();
            },
            "cleanup");
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Whether the program was told to end. */
  static boolean isEnding() {
    return ending;
  }

  /** Tells the user something, unless the program was told to end. */
  static void say(String line) {
    if (!ending) {
      System.err.println(line);
    }
  }

  /** Gives the action up: what it would have removed is to stay. */
  synchronized void release() {
    action = null;
  }

  @Override
  public synchronized void close() {
    if (action != null) {
      Runnable last = action;
      action = null;
      last.run();
    }
  }
}
