package io.ishbase.archetypes.queue;

/**
 * A message that a group has given up.
 *
 * @param message the message
 * @param attempts how often it was delivered
 */
public record DeadLetter(Message message, int attempts) {}
