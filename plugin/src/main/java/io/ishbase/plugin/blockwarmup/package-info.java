/**
 * The time between the commit of a compaction and the moment when HBase's block cache has the new
 * file's blocks. Knows the worker that wrote the file.
 */
package io.ishbase.plugin.blockwarmup;
