package io.ishbase.plugin.metrics;

import io.ishbase.core.metric.Exposition;

/** What the region server of this process shows for Prometheus. */
public final class ServerExposition {
  private static final Exposition INSTANCE = new Exposition();

  private ServerExposition() {}

  public static Exposition get() {
    return INSTANCE;
  }
}
