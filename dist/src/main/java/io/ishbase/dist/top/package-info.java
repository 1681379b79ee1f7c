/** {@code ./ishbase top}: what the servers of a cluster are doing now, as text. */
package io.ishbase.dist.top;
