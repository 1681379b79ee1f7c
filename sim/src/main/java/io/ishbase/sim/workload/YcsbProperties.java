package io.ishbase.sim.workload;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the property file of a YCSB workload ({@code CoreWorkload}), with YCSB's defaults for what
 * it leaves out. What changes nothing here is passed over; what would change the load and cannot be
 * had is said.
 */
public final class YcsbProperties {
  private static final String CORE = "CoreWorkload";

  /** Bytes of a row's key ("user" and 19 digits), and of what HBase keeps with a cell. */
  private static final double KEY_BYTES = 24;

  private final Path file;
  private final Map<String, WorkloadFile.Line> lines;
  private final List<String> notes = new ArrayList<>();
  private Parameters parameters = Presets.of("ycsb-b");

  private YcsbProperties(Path file, Map<String, WorkloadFile.Line> lines) {
    this.file = file;
    this.lines = lines;
  }

  /**
   * Reads a file.
   *
   * @throws IllegalArgumentException if it is no workload; the message has file and line
   * @throws IOException if it cannot be read
   */
  public static WorkloadFile read(Path file) throws IOException {
    return new YcsbProperties(file, WorkloadFile.lines(file, "#")).workload();
  }

  private WorkloadFile workload() {
    WorkloadFile.Line workload = lines.get("workload");
    if (workload != null && !workload.value().endsWith(CORE)) {
      throw wrong(workload, "only YCSB's CoreWorkload is known, not " + workload.value());
    }
    double read = number("readproportion", 0.95);
    double update = number("updateproportion", 0.05);
    double insert = number("insertproportion", 0);
    double scan = number("scanproportion", 0);
    double modify = number("readmodifywriteproportion", 0);
    double all = read + update + insert + scan + modify;
    if (!(all > 0)) {
      throw new IllegalArgumentException(file + ": all proportions are 0, so nothing is asked");
    }
    if (insert > 0 && update + modify > 0) {
      throw new IllegalArgumentException(
          file + ": writes are updates or inserts here, not both: set insertproportion to 0");
    }
    set("read.share", (read + scan) / all);
    set("get.share", read + scan > 0 ? read / (read + scan) : 1);
    parameters = parameters.with("write", insert > 0 ? "insert" : "update");
    set("write.reads.share", update + modify > 0 ? modify / (update + modify) : 0);
    keys();
    scans();
    double fields = number("fieldcount", 10) * number("fieldlength", 100);
    set("cell.bytes", Math.max(KEY_BYTES + 1, Math.rint(fields + KEY_BYTES)));
    double cells = Math.floor(parameters.number("block.bytes") / parameters.number("cell.bytes"));
    if (cells < 1) {
      throw new IllegalArgumentException(
          file + ": a row of " + (long) fields + " bytes does not fit into a block of 64 KB");
    }
    double records = number("recordcount", 1000);
    if (!(records >= 1 && records <= 1 << 28)) {
      throw wrong(lines.get("recordcount"), "recordcount is from 1 to 268,435,456");
    }
    set("blocks", Math.ceil(records / cells));
    set("requests", Math.max(1, number("operationcount", 1000)));
    set("clients", Math.max(1, number("threadcount", 1)));
    if (lines.containsKey("hotspotdatafraction") || lines.containsKey("hotspotopnfraction")) {
      notes.add("there is no hotspot here");
    }
    return new WorkloadFile(WorkloadFile.title(file), parameters, List.of(), 1, notes);
  }

  private void keys() {
    String distribution = word("requestdistribution", "uniform");
    boolean hashed = !word("insertorder", "hashed").equals("ordered");
    switch (distribution) {
      case "uniform":
        parameters = parameters.with("keys", "uniform");
        break;
      case "zipfian":
        // YCSB scatters the ranks of Zipf over the rows by a hash whatever the order of inserts.
        parameters = parameters.with("keys", "zipf").with("zipf.place", "scattered");
        break;
      case "latest":
        parameters =
            parameters.with("keys", "latest").with("zipf.place", hashed ? "scattered" : "together");
        break;
      default:
        throw wrong(
            lines.get("requestdistribution"),
            "of YCSB's distributions uniform, zipfian and latest are known, not " + distribution);
    }
    if (lines.containsKey("zipfian.constant")) {
      notes.add("zipfian.constant is YCSB's 0.99");
    }
  }

  private void scans() {
    double least = number("minscanlength", 1);
    double most = number("maxscanlength", 1000);
    if (!(most >= 1)) {
      throw wrong(lines.get("maxscanlength"), "maxscanlength is 1 or more");
    }
    String distribution = word("scanlengthdistribution", "uniform");
    set("scan.rows", (most + 1) / 2);
    if (!distribution.equals("uniform")) {
      notes.add("lengths of Scans are uniform, not " + distribution);
    }
    if (least > 1) {
      notes.add("Scans have 1 row and more, not " + (long) least);
    }
  }

  private void set(String name, double value) {
    parameters = parameters.with(name, value);
  }

  private String word(String name, String otherwise) {
    WorkloadFile.Line line = lines.get(name);
    return line == null ? otherwise : line.value();
  }

  private double number(String name, double otherwise) {
    WorkloadFile.Line line = lines.get(name);
    if (line == null) {
      return otherwise;
    }
    if (line.value().matches("[0-9]{0,12}(\\.[0-9]{1,18})?")) {
      return Double.parseDouble(line.value());
    }
    throw wrong(line, name + " is a number from 0 on, not '" + line.value() + "'");
  }

  private IllegalArgumentException wrong(WorkloadFile.@Nullable Line line, String what) {
    String where = line == null ? "" : ", line " + line.number();
    return new IllegalArgumentException(file + where + ": " + what);
  }
}
