package io.ishbase.sim.figure;

/** How a figure is made. */
public interface Recipe {
  /** By which it is asked for. */
  String name();

  /** What it shows, in a line. */
  String title();

  /** Runs that it asks for. */
  int runs();

  Figure make(Runs runs);
}
