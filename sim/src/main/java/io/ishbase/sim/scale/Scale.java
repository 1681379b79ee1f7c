package io.ishbase.sim.scale;

import io.ishbase.sim.plan.Inputs;
import io.ishbase.sim.plan.TableCurves;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;

/** The study: a day of clusters of several sizes. */
public final class Scale {
  private static final double GIGA = 1L << 30;

  private Scale() {}

  /**
   * A day of a cluster.
   *
   * @param wallNanos what time it really is, to say how long questions to the manager take; nothing
   *     else depends on it
   * @param isDone called after each step, by the thread that calls this
   */
  public static DayResult day(Setup setup, long seed, LongSupplier wallNanos, Runnable isDone) {
    Inputs inputs = setup.inputs();
    TableCurves curves = new TableCurves(inputs, inputs.tables().get(0), seed, () -> {});
    return new Day(setup, inputs, curves, seed, wallNanos).run(isDone);
  }

  /** Steps of a day. */
  public static int steps(Setup setup) {
    return Day.steps(setup);
  }

  /** What came out, a column for each cluster; all but the time of a question. */
  public static String text(List<DayResult> days) {
    List<List<String>> rows = new ArrayList<>();
    row(rows, "storage nodes", days, day -> day.setup().storageNodes(), "%,.0f");
    row(rows, "region servers", days, day -> day.setup().regionServers(), "%,.0f");
    row(rows, "regions", days, day -> day.setup().regions(), "%,.0f");
    row(rows, "Gets/s wanted", days, day -> first(day).demanded(), "%,.0f");
    row(rows, "Gets/s by blocks", days, day -> first(day).servedToday(), "%,.0f");
    row(rows, "Gets/s in-storage", days, day -> first(day).servedWith(), "%,.0f");
    row(
        rows,
        "  by blocks until a machine is all busy",
        days,
        d -> first(d).carriedToday(),
        "%,.0f");
    row(rows, "  the same in-storage", days, day -> first(day).carriedWith(), "%,.0f");
    row(
        rows,
        "reads over the line by blocks, GB/s",
        days,
        d -> first(d).bytesToday() / GIGA,
        "%.3f");
    row(rows, "  in-storage, GB/s", days, day -> first(day).bytesWith() / GIGA, "%.3f");
    row(
        rows,
        "bytes over the line for each asked for, by blocks",
        days,
        Scale::amplificationToday,
        "%.2f");
    row(rows, "  in-storage", days, Scale::amplificationWith, "%.2f");
    row(
        rows,
        "busiest storage node's reads over the mean, home by hash",
        days,
        DayResult::homesAlone,
        "%.2f");
    row(rows, "  by hash and load, at the end of the day", days, DayResult::homesByLoad, "%.2f");
    row(rows, "  least loaded of three holders", days, DayResult::asked, "%.2f");
    row(rows, "regions with all replicas in one rack", days, DayResult::oneRack, "%,.0f");
    for (int gets : new int[] {10, 100, 1000}) {
      row(
          rows,
          "requests for " + gets + " Gets in a call",
          days,
          day -> MultiGets.requests(gets, day.setup().regions(), 1),
          "%.1f");
    }
    row(rows, "flushes", days, DayResult::flushes, "%,.0f");
    row(rows, "compactions", days, DayResult::compactions, "%,.0f");
    row(rows, "  at home, for no worker was free", days, DayResult::atHome, "%,.0f");
    row(rows, "  99 of 100 begin within, s", days, day -> most(day, "", Step.WAIT), "%.1f");
    row(
        rows,
        "  the same after a bulk load, s",
        days,
        day -> most(day, DayResult.BULK_LOAD, Step.WAIT),
        "%.1f");
    row(
        rows,
        "  at home after it",
        days,
        day -> most(day, DayResult.BULK_LOAD, Step.HOME),
        "%,.0f");
    row(rows, "seconds of blocked writes, all stores", days, DayResult::blockedSeconds, "%,.0f");
    row(rows, "a rack dead: Gets/s in-storage", days, day -> least(day, DayResult.RACK), "%,.0f");
    row(
        rows,
        "  regions without any replica",
        days,
        day -> most(day, DayResult.RACK, Step.LOST),
        "%,.0f");
    row(
        rows,
        "  busiest storage node, %",
        days,
        day -> 100 * most(day, DayResult.RACK, Step.BUSY),
        "%.1f");
    row(rows, "  before, %", days, day -> 100 * first(day).busiest(), "%.1f");
    row(
        rows,
        "region servers restart in turn: reads, GB/s",
        days,
        day -> most(day, DayResult.RESTART, Step.BYTES) / GIGA,
        "%.3f");
    row(rows, "questions to the manager", days, DayResult::questions, "%,.0f");
    row(
        rows,
        "  a second, mean",
        days,
        day -> day.questions() / (3600.0 * day.setup().hours()),
        "%.2f");
    row(rows, "events", days, DayResult::events, "%,.0f");
    return table(rows);
  }

  /** How a number of a step is found. */
  private enum Step {
    WAIT(DayResult.Step::p99WaitSeconds),
    HOME(DayResult.Step::atHome),
    LOST(DayResult.Step::lost),
    BUSY(DayResult.Step::busiest),
    BYTES(DayResult.Step::bytesWith);

    private final ToDoubleFunction<DayResult.Step> number;

    Step(ToDoubleFunction<DayResult.Step> number) {
      this.number = number;
    }
  }

  private static DayResult.Step first(DayResult day) {
    return day.steps().get(0);
  }

  private static double most(DayResult day, String incident, Step what) {
    return day.steps().stream()
        .filter(step -> step.has(incident))
        .mapToDouble(what.number)
        .max()
        .orElse(0);
  }

  private static double least(DayResult day, String incident) {
    return day.steps().stream()
        .filter(step -> step.has(incident))
        .min(Comparator.comparingDouble(DayResult.Step::servedWith))
        .map(DayResult.Step::servedWith)
        .orElse(Double.NaN);
  }

  private static double amplificationToday(DayResult day) {
    return first(day).bytesToday() / (first(day).demanded() * 1000);
  }

  private static double amplificationWith(DayResult day) {
    return first(day).bytesWith() / (first(day).demanded() * 1000);
  }

  private static void row(
      List<List<String>> rows,
      String name,
      List<DayResult> days,
      ToDoubleFunction<DayResult> number,
      String format) {
    List<String> row = new ArrayList<>(List.of(name));
    days.forEach(day -> row.add(String.format(Locale.ROOT, format, number.applyAsDouble(day))));
    rows.add(row);
  }

  private static String table(List<List<String>> rows) {
    StringBuilder text = new StringBuilder();
    for (List<String> row : rows) {
      for (int column = 0; column < row.size(); column++) {
        int each = column;
        int width = rows.stream().mapToInt(other -> other.get(each).length()).max().orElse(1);
        String spaces = " ".repeat(width - row.get(column).length());
        text.append(column == 0 ? row.get(column) + spaces : "  " + spaces + row.get(column));
      }
      text.append('\n');
    }
    return text.toString();
  }
}
