/**
 * Checks the messages of a client or a server against the schema of their MCP protocol version.
 * {@linkcode findMessageProblems} is the entry function. Members and methods that the schemas do
 * not name are allowed, and the order of messages is not checked.
 *
 * @module
 */

import { isObject } from "../kit/json.ts";
import { compileSchemaProblems, type SchemaProblems } from "../kit/schema.ts";
import { errorResponse, type MessageKind, notification, request, result } from "./envelope.ts";
import { formatProblem } from "./format_problem.ts";
import { createMethods, type Methods, type Sender } from "./methods.ts";
import type { MessageVersion } from "./versions.ts";

/** Where a message comes from. */
export interface MessageOrigin {
  /** The protocol version of the message. */
  readonly version: MessageVersion;
  /** The sender of the message. */
  readonly from: Sender;
  /**
   * For a response: the method of its request. Without it, only the members of every result are
   * checked.
   */
  readonly method?: string;
}

/** Maximum number of problems that are returned for one message. */
const MAX_PROBLEMS = 10;

/** The methods and the compiled schemas of a version. */
interface Compiled {
  readonly methods: Methods;
  /** Keyed by kind of message, sender and method. */
  readonly checks: Map<string, SchemaProblems>;
}

const compiled = new Map<MessageVersion, Compiled>();

/**
 * Finds the differences between a message and the schema of its protocol version. A schema is
 * compiled when the first message with its method is checked.
 *
 * @param message The parsed message, or the array of a batch.
 * @return The path and the description of each problem: at most 10, and none if the message is
 * valid.
 */
export function findMessageProblems(message: unknown, origin: MessageOrigin): readonly string[] {
  if (Array.isArray(message)) return findBatchProblems(message, origin);
  if (!isObject(message)) return ["$: is not an object"];
  const kind = kindOf(message);
  const method = kind === "request" || kind === "notification" ? message.method : origin.method;
  const check = checkOf(kind, origin, typeof method === "string" ? method : undefined);
  return check(message).slice(0, MAX_PROBLEMS).map(formatProblem);
}

/** Only 2025-03-26 has batches. */
function findBatchProblems(batch: readonly unknown[], origin: MessageOrigin): readonly string[] {
  const { version, from } = origin;
  if (version !== "2025-03-26") return [`$: is an array, but ${version} has no batches`];
  if (batch.length === 0) return ["$: is an empty batch"];
  return batch.flatMap((message, index) => {
    if (Array.isArray(message)) return [`$[${index}]: is not an object`];
    const problems = findMessageProblems(message, { version, from });
    return problems.map((problem) => `$[${index}]${problem.slice(1)}`);
  }).slice(0, MAX_PROBLEMS);
}

function kindOf(message: Readonly<Record<string, unknown>>): MessageKind {
  if ("method" in message) return "id" in message ? "request" : "notification";
  return "error" in message ? "error" : "result";
}

function checkOf(
  kind: MessageKind,
  { version, from }: MessageOrigin,
  method: string | undefined,
): SchemaProblems {
  const known = compiled.get(version) ?? { methods: createMethods(version), checks: new Map() };
  compiled.set(version, known);
  const described = method === undefined ? undefined : known.methods.get(method);
  // Unknown methods share one check, so that a subject cannot fill the memory with method names.
  const key = kind === "error" ? kind : `${kind} ${from} ${described === undefined ? "" : method}`;
  const found = known.checks.get(key);
  if (found !== undefined) return found;
  const sender = kind === "result" ? opposite(from) : from;
  const isOwn = described?.from === "both" || described?.from === sender;
  const schemas = isOwn ? described : undefined;
  const schema = kind === "request"
    ? request(version, schemas)
    : kind === "notification"
    ? notification(version, schemas)
    : kind === "error"
    ? errorResponse(version)
    : result(version, schemas);
  const check = compileSchemaProblems(schema);
  known.checks.set(key, check);
  return check;
}

function opposite(sender: Sender): Sender {
  return sender === "client" ? "server" : "client";
}
