/**
 * Schemas of whole messages: JSON-RPC, and the metadata of every request and result.
 *
 * @module
 */

import { clientCapabilities, implementation } from "./capabilities.ts";
import { elicitationUrl } from "./input_requests.ts";
import { inputRequiredResult, LOG_LEVEL, type MethodSchemas } from "./methods.ts";
import {
  allOf,
  ANY,
  ID,
  INTEGER,
  list,
  type Members,
  OBJECT,
  object,
  oneOf,
  type Schema,
  STRING,
  when,
} from "./parts.ts";
import { type MessageVersion, since } from "./versions.ts";

/** The kinds of messages. */
export type MessageKind = "request" | "notification" | "result" | "error";

/**
 * Returns the schema of a message.
 *
 * @param schemas The method of the message, or of the request to which a result belongs. Without
 * it, only the members of all messages of the kind are checked.
 */
export function messageSchema(
  kind: MessageKind,
  version: MessageVersion,
  schemas: MethodSchemas | undefined,
): Schema {
  switch (kind) {
    case "request":
      return request(version, schemas);
    case "notification":
      return notification(version, schemas);
    case "result":
      return result(version, schemas);
    case "error":
      return errorResponse(version);
    default:
      return kind satisfies never;
  }
}

const JSONRPC: Members = { jsonrpc: oneOf("2.0") };

/** A request. The parameters of unknown methods are any object. */
function request(version: MessageVersion, schemas: MethodSchemas | undefined): Schema {
  const isModern = version >= "2026-07-28";
  const metadata = isModern
    ? object({ _meta: requestMetadata(version) })
    : object({}, { _meta: object({}, { progressToken: ID }) });
  const members = { ...JSONRPC, id: ID, method: STRING };
  if (schemas === undefined) {
    const params = isModern ? OBJECT : metadata;
    return object(members, { params });
  }
  const params = allOf(metadata, schemas.params);
  const isBare = schemas.isBare === true && !isModern;
  return isBare ? object(members, { params }) : object({ ...members, params });
}

/** A notification. */
function notification(version: MessageVersion, schemas: MethodSchemas | undefined): Schema {
  const subscription = since(version, "2026-07-28", {
    "io.modelcontextprotocol/subscriptionId": ID,
  });
  const metadata = object({}, { _meta: object({}, subscription) });
  const members = { ...JSONRPC, method: STRING };
  if (schemas === undefined) return object(members, { params: metadata });
  const params = allOf(metadata, schemas.params);
  return schemas.isBare ? object(members, { params }) : object({ ...members, params });
}

/** A response with a result. */
function result(version: MessageVersion, schemas: MethodSchemas | undefined): Schema {
  const isModern = version >= "2026-07-28";
  const serverInfo = since(version, "2026-07-28", {
    "io.modelcontextprotocol/serverInfo": implementation(version),
  });
  const metadata = { _meta: object({}, serverInfo) };
  const common = isModern ? object({ resultType: STRING }, metadata) : object({}, metadata);
  const own = schemas?.result ?? OBJECT;
  const value = isModern && schemas !== undefined
    ? allOf(common, ...modernResults(version, schemas, own))
    : allOf(common, own);
  return object({ ...JSONRPC, id: ID, result: value });
}

/** The result for each `resultType`. Extensions can add other types, which are not checked. */
function modernResults(
  version: MessageVersion,
  { asksInput = false, task }: MethodSchemas,
  own: Schema,
): readonly Schema[] {
  const type = "resultType";
  const refused: Schema = { properties: { [type]: { not: oneOf("input_required") } } };
  return [
    when(type, ["complete"], own),
    asksInput ? when(type, ["input_required"], inputRequiredResult(version)) : refused,
    ...(task === undefined ? [] : [when(type, ["task"], task)]),
  ];
}

/** A response with an error. See `conflicts.ts` for its id. */
function errorResponse(version: MessageVersion): Schema {
  const id: Schema = { type: ["string", "integer", "null"] };
  const error = allOf(
    object({ code: INTEGER, message: STRING }, { data: ANY }),
    ...errorsByCode(version),
  );
  const isIdOptional = version >= "2025-11-25";
  const response = isIdOptional
    ? object({ ...JSONRPC, error }, { id })
    : object({ ...JSONRPC, error, id });
  return allOf(response, { properties: { result: false } });
}

/** Errors whose code determines their data. */
function errorsByCode(version: MessageVersion): readonly Schema[] {
  if (version === "2025-11-25") {
    const elicitation = allOf(object({ mode: oneOf("url") }), elicitationUrl(version));
    const data = object({ elicitations: list(elicitation) });
    return [when("code", [-32042], object({ data }))];
  }
  if (version < "2026-07-28") return [];
  const requiredCapabilities = clientCapabilities(version);
  return [
    when("code", [-32021], object({ data: object({ requiredCapabilities }) })),
    when(
      "code",
      [-32022],
      object({
        data: object({ supported: list(STRING), requested: STRING }),
      }),
    ),
  ];
}

/** The metadata of a modern request, which describes its client. */
function requestMetadata(version: MessageVersion): Schema {
  return object({
    "io.modelcontextprotocol/protocolVersion": STRING,
    "io.modelcontextprotocol/clientCapabilities": clientCapabilities(version),
  }, {
    "io.modelcontextprotocol/clientInfo": implementation(version),
    "io.modelcontextprotocol/logLevel": LOG_LEVEL,
    progressToken: ID,
  });
}
