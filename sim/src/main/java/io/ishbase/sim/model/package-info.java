/** A region server, a storage node, the line between them and the clients, put together. */
package io.ishbase.sim.model;
