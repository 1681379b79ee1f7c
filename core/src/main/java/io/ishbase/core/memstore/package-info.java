/** What a memstore does with what it holds: decided from what it cost and brought before. */
@NullMarked
package io.ishbase.core.memstore;

import org.jspecify.annotations.NullMarked;
