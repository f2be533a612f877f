/**
 * The methods of each protocol version: their senders, parameters and results.
 *
 * @module
 */

import { clientCapabilities, implementation, serverCapabilities } from "./capabilities.ts";
import { resource, resourceContents, resourceTemplate } from "./content.ts";
import {
  elicitationParams,
  elicitationResult,
  inputRequests,
  inputResponses,
  rootsResult,
  samplingParams,
  samplingResult,
  taskRequest,
} from "./input_requests.ts";
import {
  allOf,
  ANY,
  anyOf,
  BOOLEAN,
  DURATION,
  ID,
  list,
  map,
  type Members,
  NUMBER,
  OBJECT,
  object,
  oneOf,
  type Schema,
  STRING,
  URI,
} from "./parts.ts";
import {
  callResult,
  completionParams,
  completionResult,
  prompt,
  promptResult,
  tool,
} from "./server_items.ts";
import { SKILL } from "./skills.ts";
import { CREATED_TASK, LEGACY_TASK, taskState } from "./tasks.ts";
import { type MessageVersion, since } from "./versions.ts";

/** The sender of a message. */
export type Sender = "client" | "server";

/** A method, as one side sends it. */
export interface MethodSchemas {
  /** The sender of the request or the notification. */
  readonly from: Sender | "both";
  /** Members of `params` without `_meta`. */
  readonly params: Schema;
  /** Whether `params` can be omitted. */
  readonly isBare?: boolean;
  /** The result of a request; notifications have none. */
  readonly result?: Schema;
  /** Whether the result can be an input request. */
  readonly asksInput?: boolean;
  /** The result with the `resultType` `task`. */
  readonly task?: Schema;
}

/** The methods of a protocol version, keyed by name. */
export type Methods = ReadonlyMap<string, MethodSchemas>;

/** Severity of a log message. */
export const LOG_LEVEL: Schema = oneOf(
  ..."debug info notice warning error critical alert emergency".split(" "),
);

/** Returns the methods of a version. */
export function createMethods(version: MessageVersion): Methods {
  const own = version >= "2026-07-28" ? modernMethods(version) : legacyMethods(version);
  return new Map(Object.entries({ ...commonMethods(version), ...own }));
}

/** The methods that exist in all versions. */
function commonMethods(version: MessageVersion): Record<string, MethodSchemas> {
  const named = { name: STRING };
  return {
    "tools/list": listOf(version, "tools", tool(version)),
    "resources/list": listOf(version, "resources", resource(version)),
    "resources/templates/list": listOf(version, "resourceTemplates", resourceTemplate(version)),
    "prompts/list": listOf(version, "prompts", prompt(version)),
    "tools/call": {
      from: "client",
      params: retried(version, named, { arguments: OBJECT, ...taskRequest(version) }),
      result: version === "2025-11-25" ? orTask(callResult(version)) : callResult(version),
      asksInput: true,
      task: CREATED_TASK,
    },
    "prompts/get": {
      from: "client",
      params: retried(version, named, { arguments: map(STRING) }),
      result: promptResult(version),
      asksInput: true,
    },
    "resources/read": {
      from: "client",
      params: retried(version, { uri: URI }),
      result: object({ contents: list(resourceContents(version)), ...cached(version) }),
      asksInput: true,
    },
    "completion/complete": {
      from: "client",
      params: completionParams(version),
      result: completionResult(),
    },
    ...commonNotifications(version),
  };
}

function commonNotifications(version: MessageVersion): Record<string, MethodSchemas> {
  const changed: MethodSchemas = { from: "server", params: OBJECT, isBare: true };
  const isOptional = version === "2025-11-25";
  return {
    "notifications/cancelled": {
      from: "both",
      params: isOptional
        ? object({}, { requestId: ID, reason: STRING })
        : object({ requestId: ID }, { reason: STRING }),
    },
    "notifications/progress": {
      from: version >= "2026-07-28" ? "server" : "both",
      params: object({ progressToken: ID, progress: NUMBER }, {
        total: NUMBER,
        ...since(version, "2025-03-26", { message: STRING }),
      }),
    },
    "notifications/message": {
      from: "server",
      params: object({ level: LOG_LEVEL, data: ANY }, { logger: STRING }),
    },
    "notifications/resources/updated": { from: "server", params: object({ uri: URI }) },
    "notifications/resources/list_changed": changed,
    "notifications/tools/list_changed": changed,
    "notifications/prompts/list_changed": changed,
  };
}

function legacyMethods(version: MessageVersion): Record<string, MethodSchemas> {
  const empty: MethodSchemas = { from: "client", params: object({ uri: URI }), result: OBJECT };
  const isTaskVersion = version === "2025-11-25";
  const sampled = samplingResult(version);
  const changed: MethodSchemas = { from: "client", params: OBJECT, isBare: true };
  return {
    initialize: {
      from: "client",
      params: object({
        protocolVersion: STRING,
        capabilities: clientCapabilities(version),
        clientInfo: implementation(version),
      }),
      result: object({
        protocolVersion: STRING,
        capabilities: serverCapabilities(version),
        serverInfo: implementation(version),
      }, { instructions: STRING }),
    },
    ping: { from: "both", params: OBJECT, isBare: true, result: OBJECT },
    "resources/subscribe": empty,
    "resources/unsubscribe": empty,
    "logging/setLevel": { from: "client", params: object({ level: LOG_LEVEL }), result: OBJECT },
    "sampling/createMessage": {
      from: "server",
      params: samplingParams(version),
      result: isTaskVersion ? orTask(sampled) : sampled,
    },
    "roots/list": { from: "server", params: OBJECT, isBare: true, result: rootsResult(version) },
    "notifications/initialized": changed,
    "notifications/roots/list_changed": changed,
    ...(version >= "2025-06-18" ? elicitation(version) : {}),
    ...(isTaskVersion ? legacyTaskMethods() : {}),
  };
}

function elicitation(version: MessageVersion): Record<string, MethodSchemas> {
  const result = elicitationResult(version);
  const params = elicitationParams(version);
  if (version === "2025-06-18") return { "elicitation/create": { from: "server", params, result } };
  return {
    "elicitation/create": { from: "server", params, result: orTask(result) },
    "notifications/elicitation/complete": {
      from: "server",
      params: object({ elicitationId: STRING }),
    },
  };
}

function legacyTaskMethods(): Record<string, MethodSchemas> {
  const params = object({ taskId: STRING });
  return {
    "tasks/get": { from: "both", params, result: LEGACY_TASK },
    "tasks/result": { from: "both", params, result: OBJECT },
    "tasks/cancel": { from: "both", params, result: LEGACY_TASK },
    "tasks/list": { ...listOf("2025-11-25", "tasks", LEGACY_TASK), from: "both" },
    "notifications/tasks/status": { from: "both", params: LEGACY_TASK },
  };
}

function modernMethods(version: MessageVersion): Record<string, MethodSchemas> {
  const filter = object({}, {
    toolsListChanged: BOOLEAN,
    promptsListChanged: BOOLEAN,
    resourcesListChanged: BOOLEAN,
    resourceSubscriptions: list(STRING),
    taskIds: list(STRING),
  });
  // The type of the metadata of all results is checked with the other members of all results.
  const { type: _, ..._meta } = object({ "io.modelcontextprotocol/subscriptionId": ID });
  return {
    "server/discover": {
      from: "client",
      params: OBJECT,
      result: object({
        supportedVersions: list(STRING),
        capabilities: serverCapabilities(version),
        ...cached(version),
      }, { instructions: STRING }),
    },
    "subscriptions/listen": {
      from: "client",
      params: object({ notifications: filter }),
      result: object({ _meta }),
    },
    "notifications/subscriptions/acknowledged": {
      from: "server",
      params: object({ notifications: filter }),
    },
    ...taskMethods(version),
    ...skillMethods(version),
  };
}

/** The methods of the tasks extension. */
function taskMethods(version: MessageVersion): Record<string, MethodSchemas> {
  const params = object({ taskId: STRING });
  const update = object({ taskId: STRING, inputResponses: inputResponses(version) });
  return {
    "tasks/get": { from: "client", params, result: taskState(version) },
    "tasks/update": { from: "client", params: update, result: OBJECT },
    "tasks/cancel": { from: "client", params, result: OBJECT },
    "notifications/tasks": { from: "server", params: taskState(version) },
  };
}

/** The methods of the skills extension. */
function skillMethods(version: MessageVersion): Record<string, MethodSchemas> {
  const params = object({ uri: URI });
  return {
    "skills/list": listOf(version, "skills", SKILL),
    "skills/get": { from: "client", params, result: object({ skill: SKILL }) },
    "resources/directory/read": {
      from: "client",
      params: object({ uri: URI }, { cursor: STRING }),
      result: object({ resources: list(resource(version)) }, { nextCursor: STRING }),
    },
  };
}

function listOf(version: MessageVersion, name: string, item: Schema): MethodSchemas {
  return {
    from: "client",
    params: object({}, { cursor: STRING }),
    isBare: true,
    result: object({ [name]: list(item), ...cached(version) }, { nextCursor: STRING }),
  };
}

/** Members of modern results that can be stored in a cache. */
function cached(version: MessageVersion): Members {
  const cacheScope = oneOf("public", "private");
  return since(version, "2026-07-28", { ttlMs: DURATION, cacheScope });
}

/** Parameters of a request that a modern client repeats with the results of input requests. */
function retried(version: MessageVersion, required: Members, optional: Members = {}): Schema {
  if (version < "2026-07-28") return object(required, optional);
  return object(required, {
    ...optional,
    inputResponses: inputResponses(version),
    requestState: STRING,
  });
}

/** The result of a request that could become a task in 2025-11-25. */
function orTask(result: Schema): Schema {
  const created: Schema = { properties: { task: LEGACY_TASK } };
  return { if: object({ task: OBJECT }), then: anyOf(created, result), else: result };
}

/** A result that asks for input. */
export function inputRequiredResult(version: MessageVersion): Schema {
  return allOf(
    object({}, { inputRequests: inputRequests(version), requestState: STRING }),
    anyOf({ required: ["inputRequests"] }, { required: ["requestState"] }),
  );
}
