package io.ishbase.sim.figure;

/** How a figure is made. */
public interface Recipe {
  /** By which it is asked for. */
  String name();

  /** What it shows, in a line. */
  String title();

  /** Runs that it asks for. */
  int runs();

  /** Begins runs that {@link #make} will ask for, so that they go on side by side. */
  default void begin(Runs runs) {}

  /** Makes it. */
  Figure make(Runs runs);
}
