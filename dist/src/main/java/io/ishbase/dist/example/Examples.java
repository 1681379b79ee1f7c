package io.ishbase.dist.example;

import java.util.List;

/** All examples. */
public final class Examples {
  /** In the order in which they are listed. */
  public static final List<Example> ALL =
      List.of(new DocumentExample(), new GraphExample(), new QueueExample(), new MetricsExample());

  private Examples() {}
}
