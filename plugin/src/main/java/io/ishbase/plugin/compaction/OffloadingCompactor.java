package io.ishbase.plugin.compaction;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.regionserver.HMobStore;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionProgress;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequestImpl;
import org.apache.hadoop.hbase.regionserver.compactions.DefaultCompactor;
import org.apache.hadoop.hbase.regionserver.throttle.ThroughputController;
import org.apache.hadoop.hbase.security.User;
import org.jspecify.annotations.Nullable;

/**
 * HBase's default compactor, which has compactions carried out by storage daemons: {@link Offload}.
 *
 * <p>Named by {@code hbase.hstore.defaultengine.compactor.class}. Every store of the process whose
 * engine is HBase's default gets one, those of system tables and of the master included. Whoever
 * names it for families with large objects as well gets what was meant: HBase's default compactor
 * would lose which MOB files a file refers to.
 */
public class OffloadingCompactor extends DefaultCompactor {
  private final Offload offload;
  private final @Nullable OffloadingMobCompactor mob;

  public OffloadingCompactor(Configuration conf, HStore store) {
    super(conf, store);
    this.offload = new Offload(conf, store);
    this.mob = store instanceof HMobStore ? new OffloadingMobCompactor(conf, store) : null;
  }

  @Override
  public List<Path> compact(
      CompactionRequestImpl request, ThroughputController throughput, User user)
      throws IOException {
    if (mob != null) {
      return mob.compact(request, throughput, user);
    }
    return offload.compact(
        request,
        Offload.Layout.ONE_FILE,
        throughput,
        user,
        () -> super.compact(request, throughput, user));
  }

  @Override
  public CompactionProgress getProgress() {
    return mob != null ? mob.getProgress() : offload.progress(super.getProgress());
  }

  @Override
  public boolean isCompacting() {
    return mob != null ? mob.isCompacting() : offload.isCompacting() || super.isCompacting();
  }
}
