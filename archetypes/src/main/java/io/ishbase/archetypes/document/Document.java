package io.ishbase.archetypes.document;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * A whole document as it was at one moment.
 *
 * @param id its row
 * @param version grows with each write of the document; for {@link Update#ifVersion}
 * @param body the JSON, as {@link Json} keeps it
 */
public record Document(String id, long version, JsonNode body) {}
