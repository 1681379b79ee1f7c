package io.ishbase.it.defects;

import static io.ishbase.it.defects.Edit.in;

import java.nio.file.Path;
import java.util.List;

/** The program of a worker that drops delete markers although there are older files. */
public final class WrongWorker {
  private static final Defect DEFECT =
      new Defect(
          "markers-dropped",
          "a compaction of some files drops delete markers",
          "daemon",
          "io.ishbase.daemon.compaction.StoreCompaction",
          List.of(in("run").call("getAllFiles").gives(true)),
          List.of());

  private WrongWorker() {}

  /** Writes what is wrong of it below {@code directory}, which is to be first on its class path. */
  public static void writeTo(Path directory) {
    DEFECT.writeTo(directory);
  }
}
