package io.ishbase.archetypes.document;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;

/**
 * Parts of a document as they were at one moment.
 *
 * @param id its row
 * @param version grows with each write of the document; for {@link Update#ifVersion}
 * @param parts what is at the paths that were asked for, in their order, without those at which
 *     nothing is
 */
public record Fragment(String id, long version, Map<Path, JsonNode> parts) {}
