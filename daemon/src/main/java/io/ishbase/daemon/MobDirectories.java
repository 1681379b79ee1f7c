package io.ishbase.daemon;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.mob.MobUtils;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.HFileArchiveUtil;

/**
 * Where MOB files lie, as in HBase's {@code HMobStore.getLocations}. What HBase asks for it hashes
 * a region's name and parses a score of paths, so that it is kept; each value may lie in another
 * file.
 */
final class MobDirectories {
  private static final int KEPT = 1000;

  private record Family(TableName table, String name) {}

  private final Path root;
  private final LoadingCache<Family, List<String>> kept =
      Caffeine.newBuilder().maximumSize(KEPT).build(this::find);

  /**
   * @param root of HBase
   */
  MobDirectories(Path root) {
    this.root = root;
  }

  /** Paths of the directories that may have a table's MOB files: the family's own, its archive. */
  List<String> of(TableName table, String family) {
    return kept.get(new Family(table, family));
  }

  private List<String> find(Family family) {
    RegionInfo region = MobUtils.getMobRegionInfo(family.table());
    Path ofRegion =
        new Path(MobUtils.getMobTableDir(root, family.table()), region.getEncodedName());
    Path archive =
        HFileArchiveUtil.getStoreArchivePathForRootDir(root, region, Bytes.toBytes(family.name()));
    return List.of(
        MobUtils.getMobFamilyPath(ofRegion, family.name()).toUri().getPath(),
        archive.toUri().getPath());
  }
}
