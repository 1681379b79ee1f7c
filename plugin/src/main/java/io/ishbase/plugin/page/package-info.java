/** What a region server shows of itself by HTTP: metrics that are asked for, and where they are. */
package io.ishbase.plugin.page;
