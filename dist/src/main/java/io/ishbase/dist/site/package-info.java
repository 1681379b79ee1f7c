/** The documentation as pages for a browser. */
package io.ishbase.dist.site;
