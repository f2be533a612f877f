/**
 * Schemas of the requests of servers: messages of the client's model, roots, and input of the user.
 *
 * @module
 */

import { metadata, ROLE, samplingContent } from "./content.ts";
import {
  allOf,
  anyOf,
  BOOLEAN,
  FRACTION,
  ID,
  INTEGER,
  list,
  listOr,
  map,
  type Members,
  NUMBER,
  OBJECT,
  object,
  oneOf,
  type Schema,
  STRING,
  tagged,
  URI,
} from "./parts.ts";
import { tool } from "./server_items.ts";
import { type MessageVersion, only, since } from "./versions.ts";

/** Parameters of `sampling/createMessage`. */
export function samplingParams(version: MessageVersion): Schema {
  const modelPreferences = object({}, {
    hints: list(object({}, { name: STRING })),
    costPriority: FRACTION,
    speedPriority: FRACTION,
    intelligencePriority: FRACTION,
  });
  return object({ messages: list(samplingMessage(version)), maxTokens: INTEGER }, {
    modelPreferences,
    systemPrompt: STRING,
    includeContext: oneOf("none", "thisServer", "allServers"),
    temperature: NUMBER,
    stopSequences: list(STRING),
    metadata: OBJECT,
    ...since(version, "2025-11-25", {
      tools: list(tool(version)),
      toolChoice: object({}, { mode: oneOf("auto", "required", "none") }),
    }),
    ...taskRequest(version),
  });
}

/** Result of `sampling/createMessage`. */
export function samplingResult(version: MessageVersion): Schema {
  return allOf(samplingMessage(version), object({ model: STRING }, { stopReason: STRING }));
}

function samplingMessage(version: MessageVersion): Schema {
  const one = samplingContent(version);
  const content = version >= "2025-11-25" ? listOr(one, one) : one;
  return object({ role: ROLE, content }, since(version, "2025-11-25", { _meta: OBJECT }));
}

/** Result of `roots/list`. */
export function rootsResult(version: MessageVersion): Schema {
  return object({ roots: list(object({ uri: URI }, { name: STRING, ...metadata(version) })) });
}

/** Parameters of `elicitation/create`. Without a mode, the request is a form. */
export function elicitationParams(version: MessageVersion): Schema {
  const requestedSchema = object({ type: oneOf("object"), properties: map(field(version)) }, {
    required: list(STRING),
    ...since(version, "2025-11-25", { $schema: STRING }),
  });
  const form = object({ message: STRING, requestedSchema }, taskRequest(version));
  if (version < "2025-11-25") return form;
  return {
    ...object({}, { mode: oneOf("form", "url") }),
    if: object({ mode: oneOf("url") }),
    then: elicitationUrl(version),
    else: form,
  };
}

/** Parameters of an elicitation that opens a page, without its mode. */
export function elicitationUrl(version: MessageVersion): Schema {
  const id = only(version, "2025-11-25", { elicitationId: STRING });
  return object({ message: STRING, url: URI, ...id }, {
    ...taskRequest(version),
    ...only(version, "2025-11-25", { _meta: object({}, { progressToken: ID }) }),
  });
}

/** Result of `elicitation/create`. */
export function elicitationResult(version: MessageVersion): Schema {
  const single: Schema = { type: ["string", "number", "boolean"] };
  const value = version >= "2025-11-25" ? listOr(STRING, single) : single;
  return object({ action: oneOf("accept", "decline", "cancel") }, { content: map(value) });
}

/** Optional member of requests that can become tasks. */
export function taskRequest(version: MessageVersion): Members {
  return only(version, "2025-11-25", { task: object({}, { ttl: INTEGER }) });
}

/** Input requests in a result, by key. They have neither ids nor metadata of a client. */
export function inputRequests(version: MessageVersion): Schema {
  return map(tagged("method", {
    "sampling/createMessage": object({ params: samplingParams(version) }),
    "elicitation/create": object({ params: elicitationParams(version) }),
    "roots/list": object({}, { params: object({}, { _meta: OBJECT }) }),
  }));
}

/** The results of input requests in a request, by key. */
export function inputResponses(version: MessageVersion): Schema {
  return map(
    anyOf(samplingResult(version), rootsResult(version), elicitationResult(version)),
  );
}

/** A field of a form. */
function field(version: MessageVersion): Schema {
  const isNewer = version >= "2025-11-25";
  const choice = object({ const: STRING, title: STRING });
  const types: Record<string, Schema> = {
    string: object({}, {
      minLength: INTEGER,
      maxLength: INTEGER,
      format: oneOf("email", "uri", "date", "date-time"),
      enum: list(STRING),
      enumNames: list(STRING),
      ...since(version, "2025-11-25", { oneOf: list(choice), default: STRING }),
    }),
    boolean: object({}, { default: BOOLEAN }),
    number: numberField(version),
    integer: numberField(version),
  };
  if (isNewer) {
    const items = anyOf(
      object({ type: oneOf("string"), enum: list(STRING) }),
      object({ anyOf: list(choice) }),
    );
    types.array = object({ items }, {
      minItems: INTEGER,
      maxItems: INTEGER,
      default: list(STRING),
    });
  }
  return allOf(object({}, { title: STRING, description: STRING }), tagged("type", types));
}

function numberField(version: MessageVersion): Schema {
  return object({}, {
    minimum: NUMBER,
    maximum: NUMBER,
    ...since(version, "2025-11-25", { default: NUMBER }),
  });
}
