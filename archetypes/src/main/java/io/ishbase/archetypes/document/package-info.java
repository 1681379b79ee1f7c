/** JSON documents as rows: each path of a document is a column. */
@NullMarked
package io.ishbase.archetypes.document;

import org.jspecify.annotations.NullMarked;
