/** What caches of large tables do, from models of them that are smaller and behave alike. */
package io.ishbase.sim.miniature;
