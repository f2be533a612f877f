/**
 * Checks the messages of a client or a server against the schema of their MCP protocol version.
 * {@linkcode MessageChecker} is the entry class. Members and methods that the schemas do not name
 * are allowed, and the order of messages is not checked.
 *
 * @module
 */

import { isObject } from "../kit/json.ts";
import { compileSchemaProblems, type SchemaProblem, type SchemaProblems } from "../kit/schema.ts";
import { type MessageKind, messageSchema } from "./envelope.ts";
import { type Draft, draftOf, metaSchema } from "./meta_schema.ts";
import { createMethods, type Methods, type Sender } from "./methods.ts";
import type { Schema } from "./parts.ts";
import type { MessageVersion } from "./versions.ts";

/** The origin of a message. */
export interface MessageOrigin {
  /** The protocol version of the message. */
  readonly version: MessageVersion;
  /** The sender of the message. */
  readonly from: Sender;
  /**
   * For a response: the method of its request. Without it, only the members of all results are
   * checked.
   */
  readonly method?: string;
}

/** Maximum number of problems that are returned for one message. */
const MAX_PROBLEMS = 10;

/** Checks messages and the schemas of tools. Keeps the schemas that it has compiled. */
export class MessageChecker {
  readonly #methods = new Map<MessageVersion, Methods>();
  /** Keyed by version, kind of message, sender and method. */
  readonly #messages = new Map<string, SchemaProblems>();
  readonly #drafts = new Map<Draft, SchemaProblems>();

  /**
   * Finds the differences between a message and the schema of its protocol version. A schema is
   * compiled when the first message with its method is checked. A message that is nested too deeply
   * for the validator has no problems.
   *
   * @param message The parsed message, or the array of a batch.
   * @return The path and the description of each problem, such as `$.params.name: …`: at most 10,
   * and none if the message is valid.
   */
  findProblems(message: unknown, origin: MessageOrigin): readonly string[] {
    if (Array.isArray(message)) return this.#findBatchProblems(message, origin);
    if (!isObject(message)) return ["$: is not an object"];
    return describe(this.#checkOf(message, origin), message);
  }

  /**
   * Finds invalid keywords in the schema of a tool, at every depth. A schema without `$schema` is
   * checked as draft 2020-12. Unknown keywords are allowed. A schema of an unknown draft is not
   * checked.
   *
   * @param schema The value of `inputSchema` or `outputSchema`.
   * @return The path and the description of each problem: at most 10, and none if the schema is
   * valid.
   */
  findSchemaProblems(schema: unknown): readonly string[] {
    if (!isObject(schema)) return ["$: is not an object"];
    const draft = draftOf(schema);
    if (draft === undefined) return [];
    return describe(compileOnce(this.#drafts, draft, () => metaSchema(draft)), schema);
  }

  /** Only 2025-03-26 has batches. */
  #findBatchProblems(batch: readonly unknown[], origin: MessageOrigin): readonly string[] {
    const { version, from } = origin;
    if (version !== "2025-03-26") return [`$: is an array, but ${version} has no batches`];
    if (batch.length === 0) return ["$: is an empty batch"];
    return batch.flatMap((message, index) => {
      if (Array.isArray(message)) return [`$[${index}]: is not an object`];
      const problems = this.findProblems(message, { version, from });
      return problems.map((problem) => `$[${index}]${problem.slice(1)}`);
    }).slice(0, MAX_PROBLEMS);
  }

  #checkOf(
    message: Readonly<Record<string, unknown>>,
    { version, from, method }: MessageOrigin,
  ): SchemaProblems {
    const kind = kindOf(message);
    const isResponse = kind === "result" || kind === "error";
    const name = isResponse ? method : message.method;
    // The other side has sent the request.
    const sender = isResponse ? opposite(from) : from;
    const methods = this.#methods.get(version) ?? createMethods(version);
    this.#methods.set(version, methods);
    const found = typeof name === "string" ? methods.get(name) : undefined;
    const schemas = found?.from === "both" || found?.from === sender ? found : undefined;
    // Unknown methods share one schema, so that their number has no effect on the memory.
    const key = [version, kind, sender, schemas === undefined ? "" : name].join(" ");
    return compileOnce(this.#messages, key, () => messageSchema(kind, version, schemas));
  }
}

function compileOnce<Key>(
  compiled: Map<Key, SchemaProblems>,
  key: Key,
  createSchema: () => Schema,
): SchemaProblems {
  const found = compiled.get(key);
  if (found !== undefined) return found;
  const check = compileSchemaProblems(createSchema());
  compiled.set(key, check);
  return check;
}

function describe(check: SchemaProblems, value: unknown): readonly string[] {
  try {
    return check(value).slice(0, MAX_PROBLEMS).map(formatProblem);
  } catch (error) {
    // The validator is recursive, and JSON text can be nested more deeply than the stack.
    if (error instanceof RangeError) return [];
    // The validator cannot encode a name with a lone surrogate in a path.
    if (error instanceof URIError) return describe(check, withWellFormedNames(value));
    throw error;
  }
}

/** Replaces lone surrogates in the names of members with U+FFFD. */
function withWellFormedNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withWellFormedNames);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name.toWellFormed(), withWellFormedNames(each)]),
  );
}

function formatProblem({ path, message }: SchemaProblem): string {
  const steps = path.split("/").slice(1).map((step) => {
    const name = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
    if (/^\d+$/.test(name)) return `[${name}]`;
    return /^[\w$]+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
  });
  return `$${steps.join("")}: ${message}`;
}

function kindOf(message: Readonly<Record<string, unknown>>): MessageKind {
  if ("method" in message) return "id" in message ? "request" : "notification";
  return "error" in message ? "error" : "result";
}

function opposite(sender: Sender): Sender {
  return sender === "client" ? "server" : "client";
}
