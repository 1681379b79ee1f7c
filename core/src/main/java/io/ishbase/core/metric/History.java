package io.ishbase.core.metric;

import java.util.List;
import java.util.function.DoubleSupplier;

/**
 * The last minutes of some figures, in a ring of memory that does not grow. A pure state machine:
 * whoever has it says when to look. Thread safe.
 */
public final class History {
  private static final double NANOS = 1e9;

  private final List<Plot> plots;
  private final int kept;

  // Guarded by this.
  /** By plot, curve and place in the ring; NaN: nothing is known. */
  private final double[][][] values;

  /** What was seen last, by plot and curve. */
  private final double[][] last;

  private long looks;
  private long lastNanos;

  /** Some curves that share a scale. */
  public record Plot(String title, String unit, List<Curve> curves) {
    public Plot {
      curves = List.copyOf(curves);
    }
  }

  /**
   * A figure over time.
   *
   * @param grows whether it is a counter, of which the growth a second is kept
   */
  public record Curve(String name, DoubleSupplier value, boolean grows) {}

  /**
   * @param kept looks that are kept
   */
  public History(List<Plot> plots, int kept) {
    this.plots = List.copyOf(plots);
    this.kept = kept;
    this.values = new double[plots.size()][][];
    this.last = new double[plots.size()][];
    for (int plot = 0; plot < plots.size(); plot++) {
      int curves = plots.get(plot).curves().size();
      values[plot] = new double[curves][kept];
      last[plot] = new double[curves];
    }
  }

  /** Looks at all figures. */
  public synchronized void look(long nanos) {
    double seconds = (nanos - lastNanos) / NANOS;
    int place = (int) (looks % kept);
    for (int plot = 0; plot < plots.size(); plot++) {
      List<Curve> curves = plots.get(plot).curves();
      for (int curve = 0; curve < curves.size(); curve++) {
        double now = curves.get(curve).value().getAsDouble();
        double value = now;
        if (curves.get(curve).grows()) {
          value =
              looks == 0 || seconds <= 0 ? Double.NaN : growth(now, last[plot][curve]) / seconds;
        }
        values[plot][curve][place] = value;
        last[plot][curve] = now;
      }
    }
    looks++;
    lastNanos = nanos;
  }

  /** What a counter grew; one that begins anew has grown from nothing. */
  private static double growth(double now, double before) {
    return now < before ? now : now - before;
  }

  public List<Plot> plots() {
    return plots;
  }

  /** How many looks are kept. */
  public int kept() {
    return kept;
  }

  /** The looks of a curve that are kept, the oldest first; NaN: nothing is known. */
  public synchronized double[] values(int plot, int curve) {
    int count = (int) Math.min(looks, kept);
    double[] inOrder = new double[count];
    for (int i = 0; i < count; i++) {
      inOrder[i] = values[plot][curve][(int) ((looks - count + i) % kept)];
    }
    return inOrder;
  }
}
