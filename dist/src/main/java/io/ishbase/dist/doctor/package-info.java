/**
 * Looks whether a running cluster is as IS-HBase needs it: facts are gathered from servers,
 * ZooKeeper and HDFS, and checks, pure ones, say what is right and what is wrong about them.
 */
package io.ishbase.dist.doctor;
