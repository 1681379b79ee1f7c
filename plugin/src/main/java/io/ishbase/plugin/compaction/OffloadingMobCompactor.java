package io.ishbase.plugin.compaction;

import io.ishbase.protocol.generated.CompactionProtos.Mob;
import java.io.IOException;
import java.util.List;
import java.util.TimeZone;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.mob.DefaultMobStoreCompactor;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionProgress;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequestImpl;
import org.apache.hadoop.hbase.regionserver.throttle.ThroughputController;
import org.apache.hadoop.hbase.security.User;

/**
 * HBase's compactor of families with large objects, which has compactions carried out by storage
 * daemons: {@link Offload}. Those that write MOB files anew ({@link Obstacles}) stay here.
 *
 * <p>Named by {@code hbase.hstore.mobengine.compactor.class}.
 */
public class OffloadingMobCompactor extends DefaultMobStoreCompactor {
  private final Offload offload;

  public OffloadingMobCompactor(Configuration conf, HStore store) {
    super(conf, store);
    this.offload = new Offload(conf, store);
  }

  @Override
  public List<Path> compact(
      CompactionRequestImpl request, ThroughputController throughput, User user)
      throws IOException {
    return offload.compact(
        request,
        asked -> asked.setMob(Mob.newBuilder().setTimeZone(TimeZone.getDefault().getID())),
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
