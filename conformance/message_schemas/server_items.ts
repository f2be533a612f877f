/**
 * Schemas of the tools and prompts of a server, and of the completion of their arguments.
 *
 * @module
 */

import { content, display, metadata, naming, ROLE, structured } from "./content.ts";
import {
  BOOLEAN,
  INTEGER,
  list,
  map,
  OBJECT,
  object,
  oneOf,
  type Schema,
  STRING,
  tagged,
} from "./parts.ts";
import { type MessageVersion, only, since } from "./versions.ts";

/** A tool in a list. */
export function tool(version: MessageVersion): Schema {
  const annotations = object({}, {
    title: STRING,
    readOnlyHint: BOOLEAN,
    destructiveHint: BOOLEAN,
    idempotentHint: BOOLEAN,
    openWorldHint: BOOLEAN,
  });
  const execution = object({}, { taskSupport: oneOf("forbidden", "optional", "required") });
  const isModern = version >= "2026-07-28";
  const outputSchema = isModern ? object({}, { $schema: STRING }) : toolSchema(version);
  return object({ name: STRING, inputSchema: toolSchema(version) }, {
    ...display(version),
    ...metadata(version),
    description: STRING,
    ...since(version, "2025-03-26", { annotations }),
    ...since(version, "2025-06-18", { outputSchema }),
    ...only(version, "2025-11-25", { execution }),
  });
}

/** The schema of a tool's arguments. Until 2025-11-25, MCP names three of its members. */
function toolSchema(version: MessageVersion): Schema {
  const isModern = version >= "2026-07-28";
  return object({ type: oneOf("object") }, {
    ...(isModern ? {} : { properties: map(OBJECT), required: list(STRING) }),
    ...since(version, "2025-11-25", { $schema: STRING }),
  });
}

/** Result of `tools/call`. */
export function callResult(version: MessageVersion): Schema {
  return object({ content: list(content(version)) }, {
    ...structured(version),
    isError: BOOLEAN,
  });
}

/** A prompt in a list. */
export function prompt(version: MessageVersion): Schema {
  const argument = object({ name: STRING }, {
    ...naming(version),
    description: STRING,
    required: BOOLEAN,
  });
  return object({ name: STRING }, {
    ...display(version),
    ...metadata(version),
    description: STRING,
    arguments: list(argument),
  });
}

/** Result of `prompts/get`. */
export function promptResult(version: MessageVersion): Schema {
  const message = object({ role: ROLE, content: content(version) });
  return object({ messages: list(message) }, { description: STRING });
}

/** Parameters of `completion/complete`. */
export function completionParams(version: MessageVersion): Schema {
  const ref = tagged("type", {
    "ref/prompt": object({ name: STRING }, naming(version)),
    "ref/resource": object({ uri: STRING }),
  });
  const context = object({}, { arguments: map(STRING) });
  return object(
    { ref, argument: object({ name: STRING, value: STRING }) },
    since(version, "2025-06-18", { context }),
  );
}

/** Result of `completion/complete`. */
export function completionResult(): Schema {
  const completion = object({ values: { ...list(STRING), maxItems: 100 } }, {
    total: INTEGER,
    hasMore: BOOLEAN,
  });
  return object({ completion });
}
