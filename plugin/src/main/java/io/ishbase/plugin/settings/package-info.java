/**
 * The settings of a server and of a store as records, read once and put right where they are wrong.
 * Knows only {@code core} and HBase's configuration.
 */
package io.ishbase.plugin.settings;
