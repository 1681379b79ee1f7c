package io.ishbase.dist.doctor;

import io.ishbase.dist.doctor.ClusterFacts.Files;
import io.ishbase.dist.doctor.ClusterFacts.Table;
import java.util.ArrayList;
import java.util.List;

/** Which part of the tables that are read in-storage lies where a daemon is. */
final class Replicas implements Check {
  @Override
  public List<Finding> check(ClusterFacts facts) {
    List<Finding> findings = new ArrayList<>();
    facts
        .readInStorage()
        .forEach(
            table ->
                findings.add(
                    table
                        .files()
                        .value()
                        .map(files -> of(table, files))
                        .orElseGet(
                            () ->
                                Finding.warn(
                                    "table " + table.name(),
                                    "where its files lie was not seen: " + table.files().whyNot(),
                                    "run this command as a user who may read HBase's files"))));
    return findings;
  }

  private static Finding of(Table table, Files files) {
    String about = "table " + table.name();
    if (files.blocks() == 0) {
      return Finding.ok(about, "no files yet");
    }
    long without = files.blocks() - files.blocksAtDaemons();
    String seen = without + " of " + files.blocks() + " blocks have no replica beside a daemon";
    if (without == 0) {
      return Finding.ok(about, "all " + files.blocks() + " blocks have a replica beside a daemon");
    }
    String todo =
        "daemons beside the other DataNodes; then a major compaction brings files together";
    return without == files.blocks()
        ? Finding.fail(about, seen, todo)
        : Finding.warn(about, seen, todo);
  }
}
