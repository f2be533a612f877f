import { assertCountOptions, type CountOptions } from "../../tools/testing/count_options.ts";
import { readAuth } from "../auth/config.ts";
import { introspectionVerifier } from "../auth/introspection_verifier.ts";
import { jwtVerifier } from "../auth/jwt_verifier.ts";
import { readConfig } from "../client/config.ts";
import { spawnServer } from "../process.ts";
import { jsonSchemaValidator } from "../server/json_schema.ts";
import { clientTasks } from "../tasks/client.ts";
import { createMemoryTransport } from "../transport/memory.ts";
import { httpEndpoint } from "../transport/http_request.ts";
import { StdioTransport } from "../transport/stdio.ts";
import { Queue } from "./bounded_queue.ts";

const transport = createMemoryTransport(() => Promise.resolve());
const auth = { discover: true, redirectUri: "http://127.0.0.1/" } as const;
const introspection = { introspectionUrl: "https://login.example.com/", clientId: "a" };

const COUNTS: readonly CountOptions[] = [
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
    "maxSteps",
    "maxUniqueItems",
    "maxPatternLength",
  ]],
  [(options) => jwtVerifier({ issuer: "https://a.example", ...options }), 1, ["maxResponseBytes"]],
  [(options) => introspectionVerifier({ ...introspection, ...options }), 1, [
    "maxResponseBytes",
    "maxConcurrent",
  ]],
  [(options) => introspectionVerifier({ ...introspection, ...options }), 0, ["maxQueued"]],
  [(options) => readAuth({ ...auth, ...options }), 1, ["maxResponseBytes", "maxAttempts"]],
  [(options) => new Queue(options), 1, ["capacity"]],
];

Deno.test("every option that is a count accepts only integers of at least its minimum", () => {
  assertCountOptions(COUNTS);
});
