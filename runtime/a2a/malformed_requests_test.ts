import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { ask, call, ENDPOINT, idOf, send, serveClerk, stateOf } from "./testdata/served_clerk.ts";

const METHODS = [
  "SendMessage",
  "SendStreamingMessage",
  "GetTask",
  "ListTasks",
  "CancelTask",
  "SubscribeToTask",
  "GetExtendedAgentCard",
  "CreateTaskPushNotificationConfig",
  "GetTaskPushNotificationConfig",
  "ListTaskPushNotificationConfigs",
  "DeleteTaskPushNotificationConfig",
] as const;

/** Codes of errors that a client has caused. */
const CLIENT_ERRORS: ReadonlySet<unknown> = new Set([
  -32001,
  -32002,
  -32003,
  -32004,
  -32005,
  -32600,
  -32601,
  -32602,
]);

/** Members with the names of the protocol, and values of any type. */
const params = fc.dictionary(
  fc.constantFrom(
    "id",
    "taskId",
    "task_id",
    "message",
    "configuration",
    "metadata",
    "pageSize",
    "pageToken",
    "status",
    "statusTimestampAfter",
    "historyLength",
    "url",
    "token",
    "authentication",
    "__proto__",
  ),
  fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.dictionary(
      fc.constantFrom("messageId", "role", "parts", "contextId", "taskId", "scheme", "text"),
      fc.jsonValue({ maxDepth: 2 }),
    ),
  ),
);

Deno.test("parameters that are not valid result in an error of the client, and nothing stops", async () => {
  await using clerk = serveClerk({ push: {} });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...METHODS), params, async (method, value) => {
      const result = await call(clerk, method, value);
      assert(typeof result !== "number" || CLIENT_ERRORS.has(result), `${method}: ${result}`);
    }),
    { numRuns: 300 },
  );
  assertEquals(clerk.errors, []);
  assertEquals(stateOf(await ask(clerk, "hello")), "COMPLETED");
});

Deno.test("bytes that are not a request result in an error", async () => {
  await using clerk = serveClerk();
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 50 }),
      fc.constantFrom("", "/message:send"),
      async (bytes, path) => {
        const headers = { "content-type": "application/json", "a2a-version": "1.0" };
        const body = new Uint8Array(bytes);
        const request = new Request(`${ENDPOINT}${path}`, { method: "POST", headers, body });
        const { error } = Object(await (await send(clerk, request)).json());
        assertEquals(typeof error.code, "number");
      },
    ),
  );
  assertEquals(clerk.errors, []);
});

Deno.test("a path with any characters results in an error of the client", async () => {
  await using clerk = serveClerk();
  const id = idOf(await ask(clerk, "hello", { rest: { contextId: "a/b?c#d%é 😀" } }));
  const headers = { "a2a-version": "1.0" };
  const get = async (encoded: string): Promise<number> =>
    (await send(clerk, new Request(`${ENDPOINT}/tasks/${encoded}`, { headers }))).status;
  assertEquals(await get(encodeURIComponent(id)), 200);
  await fc.assert(fc.asyncProperty(fc.string({ unit: "grapheme", minLength: 1 }), async (text) => {
    const status = await get(encodeURIComponent(text.toWellFormed()));
    assert(status === 404 || status === 400 || status === 200, `${status}`);
  }));
  assertEquals(clerk.errors, []);
});
