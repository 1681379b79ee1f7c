package io.ishbase.sim.engine;

import java.util.ArrayDeque;

/**
 * Messages of one connection, which use a link one after the other, in the order in which they were
 * sent. For one thread.
 */
public final class Connection {
  private record Waiting(Link.Transfer message, long bytes) {}

  private final Link link;
  private final ArrayDeque<Waiting> messages = new ArrayDeque<>();
  private final Link.Transfer first = new Link.Transfer(this::arrived);

  public Connection(Link link) {
    this.link = link;
  }

  /** Sends a message. It must not be under way. */
  public void send(Link.Transfer message, long bytes) {
    messages.add(new Waiting(message, bytes));
    if (messages.size() == 1) {
      link.send(first, bytes);
    }
  }

  /** Messages that wait for another one. */
  public int waiting() {
    return Math.max(0, messages.size() - 1);
  }

  private void arrived() {
    Link.Transfer message = messages.remove().message;
    Waiting next = messages.peek();
    if (next != null) {
      link.send(first, next.bytes);
    }
    message.end();
  }
}
