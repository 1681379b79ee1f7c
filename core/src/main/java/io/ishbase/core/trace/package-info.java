/**
 * Traces, what clients asked of tables: the lines of our format, of which rows operations are
 * recorded, and the buffer between those who serve clients and the one who writes.
 */
package io.ishbase.core.trace;
