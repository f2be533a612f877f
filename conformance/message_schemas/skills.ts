/**
 * Schemas of the skills extension.
 *
 * @see {@link https://modelcontextprotocol.io/seps/2640-skills-extension Skills}
 * @module
 */

import { DURATION, list, object, oneOf, type Schema, STRING, URI } from "./parts.ts";

const FILE: Schema = object({
  uri: URI,
  digest: { type: "string", pattern: "^sha256:[0-9a-f]{64}$" },
  size: DURATION,
});

/** A skill in a list. */
export const SKILL: Schema = object({
  uri: URI,
  frontmatter: object({ name: STRING, description: STRING }),
  resources: { if: { type: "string" }, then: oneOf("dynamic"), else: list(FILE) },
});
