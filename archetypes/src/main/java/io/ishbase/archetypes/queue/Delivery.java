package io.ishbase.archetypes.queue;

/**
 * A message that a consumer has claimed.
 *
 * @param message the message
 * @param attempt 1 when it is delivered for the first time, then 2, 3 …
 * @param token of the claim
 * @param deadlineMillis when the claim expires, by the consumer's clock
 */
public record Delivery(Message message, int attempt, long token, long deadlineMillis) {}
