package io.ishbase.dist.cluster;

import java.nio.file.Path;

/**
 * A stock HBase and a release beside it, which a local cluster's HMaster, region servers and
 * daemons run from as an operator would run them.
 *
 * @param hbaseHome with HBase's jars in {@code lib}
 * @param release an unpacked release
 */
public record Installed(Path hbaseHome, Path release) {
  /** HBase's jars and the plug-in's. */
  String classPath() {
    Path lib = hbaseHome.resolve("lib");
    return lib
        + "/*:"
        + lib.resolve("client-facing-thirdparty")
        + "/*:"
        + release.resolve("lib/plugin")
        + "/*";
  }
}
