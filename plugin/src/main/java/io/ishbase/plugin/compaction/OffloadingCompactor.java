package io.ishbase.plugin.compaction;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionProgress;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequestImpl;
import org.apache.hadoop.hbase.regionserver.compactions.DefaultCompactor;
import org.apache.hadoop.hbase.regionserver.throttle.ThroughputController;
import org.apache.hadoop.hbase.security.User;

/**
 * HBase's default compactor, which has compactions carried out by storage daemons: {@link Offload}.
 *
 * <p>Named by {@code hbase.hstore.defaultengine.compactor.class}. Every store of the process whose
 * engine is HBase's default gets one, those of system tables and of the master included.
 */
public class OffloadingCompactor extends DefaultCompactor {
  private final Offload offload;

  public OffloadingCompactor(Configuration conf, HStore store) {
    super(conf, store);
    this.offload = new Offload(conf, store);
  }

  @Override
  public List<Path> compact(
      CompactionRequestImpl request, ThroughputController throughput, User user)
      throws IOException {
    return offload.compact(
        request,
        Offload.Layout.ONE_FILE,
        throughput,
        user,
        () -> super.compact(request, throughput, user));
  }

  @Override
  public CompactionProgress getProgress() {
    return offload.progress(super.getProgress());
  }

  @Override
  public boolean isCompacting() {
    return offload.isCompacting() || super.isCompacting();
  }
}
