/**
 * The storage daemon: opens the HFiles of its DataNode, merges and selects cells, and answers. Here
 * its parts are put together.
 */
package io.ishbase.daemon;
