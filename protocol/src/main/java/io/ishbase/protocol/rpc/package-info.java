/** What the servers of this project have in common. */
@NullMarked
package io.ishbase.protocol.rpc;

import org.jspecify.annotations.NullMarked;
