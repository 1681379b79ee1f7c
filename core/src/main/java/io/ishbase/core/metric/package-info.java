/**
 * What the servers count: the table of all metrics, and the text that Prometheus reads. Knows no
 * metrics system.
 */
package io.ishbase.core.metric;
