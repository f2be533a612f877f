import { assertEquals, assertThrows } from "@std/assert";
import { readAuth } from "../auth/config.ts";
import { introspectionVerifier, jwtVerifier } from "../auth/token_verifiers.ts";
import { readConfig } from "../client/config.ts";
import { spawnServer } from "../process.ts";
import { jsonSchemaValidator } from "../server/json_schema.ts";
import { clientTasks } from "../tasks/client.ts";
import { createMemoryTransport } from "../transport/memory.ts";
import { httpEndpoint } from "../transport/http_request.ts";
import { StdioTransport } from "../transport/stdio.ts";
import { Queue } from "./bounded_queue.ts";

type Create = (options: Readonly<Record<string, unknown>>) => unknown;

const NOT_COUNTS: readonly unknown[] = [-1, 1.5, 1e300, 2 ** 53, NaN, Infinity, "5", 5n, null];

const transport = createMemoryTransport(() => Promise.resolve());
const auth = { discover: true, redirectUri: "http://127.0.0.1/" } as const;
const introspection = { introspectionUrl: "https://login.example.com/", clientId: "a" };

/**
 * Functions that validate options, with the options that are counts, and the minimum of these
 * counts.
 */
const COUNTS: readonly (readonly [Create, minimum: 0 | 1, names: readonly string[]])[] = [
  [(options) => readConfig({ transport, ...options }), 1, [
    "maxConcurrent",
    "maxInputRequests",
    "maxListPages",
    "maxListItems",
    "maxListChars",
  ]],
  [(options) => readConfig({ transport, ...options }), 0, ["maxQueued"]],
  [(options) => spawnServer("deno", [], options), 0, [
    "maxStderr",
    "maxLineBytes",
    "maxBufferedChars",
    "maxJunkLines",
  ]],
  [(options) => new StdioTransport(options), 0, [
    "maxLineBytes",
    "maxBufferedChars",
    "maxJunkLines",
  ]],
  [(options) => createMemoryTransport(() => Promise.resolve(), options), 1, [
    "maxBufferedMessages",
  ]],
  [(options) => httpEndpoint("https://a.example/", "http", options), 0, ["maxRetries"]],
  [(options) => httpEndpoint("https://a.example/", "http", options), 1, ["maxMessageChars"]],
  [(options) => clientTasks(options), 0, ["maxRetries", "maxInputRequests"]],
  [(options) => jsonSchemaValidator(options), 1, [
    "maxNodes",
    "maxUniqueItems",
    "maxPatternLength",
  ]],
  [(options) => jwtVerifier({ issuer: "https://a.example", ...options }), 1, ["maxResponseBytes"]],
  [(options) => introspectionVerifier({ ...introspection, ...options }), 1, ["maxResponseBytes"]],
  [(options) => readAuth({ ...auth, ...options }), 1, ["maxResponseBytes", "maxAttempts"]],
  [(options) => new Queue(options), 1, ["capacity"]],
];

Deno.test("every option that is a count accepts only integers of at least its minimum", () => {
  for (const [create, minimum, names] of COUNTS) {
    const kind = minimum === 0 ? "a non-negative integer" : "a positive integer";
    for (const name of names) {
      create({ [name]: minimum });
      create({ [name]: Number.MAX_SAFE_INTEGER });
      for (const value of [minimum - 1, ...NOT_COUNTS]) {
        const shown = typeof value === "string" ? `"${value}"` : String(value);
        const message = `"${name}" must be ${kind}, got ${shown}`;
        assertEquals(assertThrows(() => create({ [name]: value }), RangeError).message, message);
      }
    }
  }
});
