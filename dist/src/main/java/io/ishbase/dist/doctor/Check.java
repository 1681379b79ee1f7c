package io.ishbase.dist.doctor;

import java.util.List;

/** Looks at one thing about a cluster. Pure: the same facts give the same findings. */
public interface Check {
  /** What it has to say; nothing if there is nothing of its kind in the cluster. */
  List<Finding> check(ClusterFacts facts);
}
