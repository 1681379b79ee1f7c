/** Releases for operators: what an existing HBase lacks, as a tarball and a Debian package. */
package io.ishbase.dist.packaging;
