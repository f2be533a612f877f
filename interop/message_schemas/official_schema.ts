/**
 * The verdict of an official MCP schema on a message.
 *
 * @module
 */

import { type Schema as ValidatorSchema, Validator } from "@cfworker/json-schema";
import { isObject } from "../../conformance/kit/json.ts";

/** A JSON Schema or a part of one. */
export type Schema = Readonly<Record<string, unknown>>;

/** A message and its origin. */
export interface Sample {
  readonly from: "client" | "server";
  /** The method of a request or a notification, or of the request to which a result belongs. */
  readonly method: string;
  readonly message: unknown;
}

/** The official schema of a protocol version. */
export interface OfficialSchema {
  /** Definitions, keyed by name. */
  readonly definitions: ReadonlyMap<string, Schema>;
  /** Member of the root object that contains the definitions. */
  readonly key: "$defs" | "definitions";
}

/** Names of the definitions of results, keyed by the method of the request. */
export const RESULTS: ReadonlyMap<string, string> = new Map([
  ["initialize", "InitializeResult"],
  ["ping", "EmptyResult"],
  ["tools/list", "ListToolsResult"],
  ["tools/call", "CallToolResult"],
  ["resources/list", "ListResourcesResult"],
  ["resources/templates/list", "ListResourceTemplatesResult"],
  ["resources/read", "ReadResourceResult"],
  ["resources/subscribe", "EmptyResult"],
  ["resources/unsubscribe", "EmptyResult"],
  ["prompts/list", "ListPromptsResult"],
  ["prompts/get", "GetPromptResult"],
  ["completion/complete", "CompleteResult"],
  ["logging/setLevel", "EmptyResult"],
  ["sampling/createMessage", "CreateMessageResult"],
  ["roots/list", "ListRootsResult"],
  ["elicitation/create", "ElicitResult"],
  ["tasks/get", "GetTaskResult"],
  ["tasks/result", "GetTaskPayloadResult"],
  ["tasks/list", "ListTasksResult"],
  ["tasks/cancel", "CancelTaskResult"],
  ["server/discover", "DiscoverResult"],
  ["subscriptions/listen", "SubscriptionsListenResult"],
]);

/** Names of the definitions of errors, keyed by code. */
const ERRORS: ReadonlyMap<unknown, string> = new Map([
  [-32042, "URLElicitationRequiredError"],
  [-32020, "HeaderMismatchError"],
  [-32021, "MissingRequiredClientCapabilityError"],
  [-32022, "UnsupportedProtocolVersionError"],
]);

/** Reads an official schema. */
export function readOfficialSchema(value: unknown): OfficialSchema {
  if (!isObject(value)) throw new TypeError("the schema is not an object");
  const key = "$defs" in value ? "$defs" : "definitions";
  const definitions = new Map<string, Schema>();
  const found = value[key];
  if (!isObject(found)) throw new TypeError("the schema has no definitions");
  for (const [name, definition] of Object.entries(found)) {
    if (isObject(definition)) definitions.set(name, definition);
  }
  return { definitions, key };
}

/** Returns the definitions that one side sends as requests or notifications, keyed by method. */
export function methodsOf(
  official: OfficialSchema,
  union: string,
): ReadonlyMap<string, string> {
  const methods = new Map<string, string>();
  const variants = official.definitions.get(union);
  const references = Array.isArray(variants?.anyOf) ? variants.anyOf : [variants];
  for (const reference of references) {
    const name = isObject(reference) ? String(reference.$ref).split("/").at(-1) ?? "" : "";
    const method = valueOfMethod(official.definitions.get(name));
    if (method !== undefined) methods.set(method, name);
  }
  return methods;
}

function valueOfMethod(definition: Schema | undefined): string | undefined {
  const properties = definition?.properties;
  const method = isObject(properties) ? properties.method : undefined;
  return isObject(method) && typeof method.const === "string" ? method.const : undefined;
}

/** Creates the function that returns true for valid messages. */
export function createOfficialCheck(official: OfficialSchema): (sample: Sample) => boolean {
  const validators = new Map<string, Validator>();
  const isValid = (name: string, value: unknown): boolean => {
    if (value === undefined) return false;
    const root = { [official.key]: Object.fromEntries(official.definitions) };
    const schema = { ...root, $ref: `#/${official.key}/${name}` };
    // The validator library's schema type requires literal types for "type".
    const validator = validators.get(name) ?? new Validator(schema as ValidatorSchema, "2020-12");
    validators.set(name, validator);
    return validator.validate(value).valid;
  };
  return ({ from, message, method }) => {
    if (!isObject(message)) return false;
    if ("method" in message) return isValidCall(official, isValid, from, message);
    if ("error" in message) return isValidError(official, isValid, message);
    return isValidResult(official, isValid, message, method);
  };
}

type IsValid = (name: string, value: unknown) => boolean;

function isValidCall(
  official: OfficialSchema,
  isValid: IsValid,
  from: Sample["from"],
  message: Schema,
): boolean {
  const isRequest = "id" in message;
  if (!isValid(isRequest ? "JSONRPCRequest" : "JSONRPCNotification", message)) return false;
  const side = from === "client" ? "Client" : "Server";
  const union = `${side}${isRequest ? "Request" : "Notification"}`;
  if (!official.definitions.has(union)) return true;
  const name = methodsOf(official, union).get(String(message.method));
  return name === undefined || isValid(name, message);
}

function isValidError(official: OfficialSchema, isValid: IsValid, message: Schema): boolean {
  const names = ["JSONRPCErrorResponse", "JSONRPCError"];
  const { error } = message;
  const own = ERRORS.get(isObject(error) ? error.code : undefined);
  const name = names.find((each) => official.definitions.has(each)) ?? "";
  const isKnown = own !== undefined && official.definitions.has(own);
  return isValid(name, message) && (!isKnown || isValid(own, message));
}

function isValidResult(
  official: OfficialSchema,
  isValid: IsValid,
  message: Schema,
  method: string,
): boolean {
  const names = ["JSONRPCResultResponse", "JSONRPCResponse"];
  const modern = official.definitions.has("JSONRPCResultResponse") ? names[0] : names[1];
  if (!isValid(modern ?? "", message)) return false;
  const { result } = message;
  const type = isObject(result) ? result.resultType : undefined;
  if (type === "input_required") return isValid("InputRequiredResult", result);
  const isTask = official.definitions.has("CreateTaskResult") && isObject(result) &&
    isObject(result.task) && ["tools/call", "sampling/createMessage", "elicitation/create"]
    .includes(method);
  if (isTask && isValid("CreateTaskResult", result)) return true;
  const isTyped = official.definitions.has("ResultType") && type !== "complete";
  const name = RESULTS.get(method) ?? "";
  return isTyped || isValid(official.definitions.has(name) ? name : "EmptyResult", result);
}
