import { assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import type { ServedRun } from "../serve/contracts.ts";
import { a2aHandler } from "./a2a_handler.ts";
import {
  ask,
  call,
  type Clerk,
  ENDPOINT,
  idOf,
  message,
  pick,
  readStream,
  rpc,
  send,
  serveClerk,
  stateOf,
} from "./testdata/served_clerk.ts";

const HEADERS = { "content-type": "application/json", "a2a-version": "1.0" };

/** Sends a request of the HTTP+JSON binding. */
async function http(clerk: Clerk, method: string, path: string, body?: unknown): Promise<Response> {
  const init = body === undefined ? {} : { body: JSON.stringify(body) };
  return await send(
    clerk,
    new Request(`${ENDPOINT}/${path}`, { method, headers: HEADERS, ...init }),
  );
}

Deno.test("a message starts a task, whose result is an artifact", async () => {
  await using clerk = serveClerk();
  const task = await ask(clerk, "hello", { rest: { contextId: "c1" } });
  const id = idOf(task);
  assertEquals(pick(task, "contextId"), "c1");
  assertEquals(stateOf(task), "COMPLETED");
  assertEquals(pick(task, "artifacts"), [
    { artifactId: `${id}/answer`, name: "answer", parts: [{ text: "You said: hello" }] },
  ]);
  assertEquals(pick(task, "history"), [{
    messageId: "m hello",
    role: "ROLE_USER",
    parts: [{ text: "hello" }],
    contextId: "c1",
    taskId: id,
  }]);
  assertMatch(String(pick(task, "status", "timestamp")), /^20\d\d-.*T.*\.\d{3}Z$/);
  assertEquals(await call(clerk, "GetTask", { id }), task);
  assertEquals(pick(await call(clerk, "GetTask", { id, historyLength: 0 }), "history"), undefined);
});

Deno.test("both bindings have the same operations", async () => {
  await using clerk = serveClerk();
  const sent: unknown = await (await http(clerk, "POST", "message:send", message("hello"))).json();
  const task = pick(sent, "task");
  const id = encodeURIComponent(idOf(task));
  assertEquals(stateOf(task), "COMPLETED");
  const got = await http(clerk, "GET", `tasks/${id}`);
  assertEquals(got.headers.get("cache-control"), "no-store");
  assertEquals(await got.json(), task);
  assertEquals(await call(clerk, "GetTask", { id: idOf(task) }), task);
  const list: unknown = await (await http(clerk, "GET", "tasks?pageSize=1&includeArtifacts=true"))
    .json();
  assertEquals(list, { tasks: [task], nextPageToken: "", pageSize: 1, totalSize: 1 });
  const ended = await http(clerk, "POST", `tasks/${id}:cancel`);
  assertEquals(ended.status, 409);
  assertEquals(pick(await ended.json(), "error"), {
    code: 409,
    status: "FAILED_PRECONDITION",
    message: "Task cannot be canceled",
    details: [{
      "@type": "type.googleapis.com/google.rpc.ErrorInfo",
      reason: "TASK_NOT_CANCELABLE",
      domain: "a2a-protocol.org",
      metadata: { taskId: idOf(task) },
    }],
  });
  const stream = await http(clerk, "POST", "message:stream", message("again"));
  const updates = await Array.fromAsync(readStream(stream));
  assertEquals(stateOf(pick(updates.at(-1), "statusUpdate")), "COMPLETED");
});

Deno.test("JSON-RPC responds to errors with its own codes", async () => {
  await using clerk = serveClerk();
  const post = (body: string, headers: HeadersInit = HEADERS): Promise<Response> =>
    send(clerk, new Request(ENDPOINT, { method: "POST", headers, body }));
  const rows: readonly (readonly [string, number])[] = [
    ["{", -32700],
    ["", -32600],
    ["[]", -32600],
    ["5", -32600],
    ["{}", -32600],
    ['{"jsonrpc":"2.0","method":"GetTask"}', -32600],
    ['{"jsonrpc":"1.0","id":1,"method":"GetTask"}', -32600],
    ['{"jsonrpc":"2.0","id":null,"method":"GetTask"}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":5}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"tasks/get"}', -32601],
    ['{"jsonrpc":"2.0","id":1,"method":"toString"}', -32601],
    ['{"jsonrpc":"2.0","id":1,"method":"GetTask","params":[]}', -32602],
    ['{"jsonrpc":"2.0","id":1,"method":"GetTask"}', -32602],
    ['{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{}}', -32602],
    ['{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"unknown"}}', -32001],
  ];
  for (const [body, code] of rows) {
    const response = await post(body);
    assertEquals(
      [response.status, pick(await response.json(), "error", "code")],
      [200, code],
      body,
    );
  }
  const text = await post("{}", { "content-type": "text/plain", "a2a-version": "1.0" });
  assertEquals(pick(await text.json(), "error", "code"), -32005);
  assertEquals((await send(clerk, new Request(ENDPOINT))).status, 405);
  assertEquals(clerk.errors, []);
});

Deno.test("HTTP+JSON responds to errors with a status", async () => {
  await using clerk = serveClerk();
  const rows: readonly (readonly [string, string, unknown, number])[] = [
    ["GET", "tasks/unknown", undefined, 404],
    ["GET", "tasks/%ff", undefined, 400],
    ["PUT", "tasks/unknown", undefined, 404],
    ["GET", "tasks/a/b/c", undefined, 404],
    ["POST", "message:send", {}, 400],
    ["POST", "message:send", [], 400],
    ["GET", "tasks?pageSize=0", undefined, 400],
    ["GET", "tasks?pageSize=101", undefined, 400],
    ["GET", "tasks?pageToken=nonsense", undefined, 400],
    ["GET", "tasks?status=done", undefined, 400],
    ["GET", "tasks?statusTimestampAfter=yesterday", undefined, 400],
    ["GET", "tasks?historyLength=-1", undefined, 400],
    ["GET", "extendedAgentCard", undefined, 400],
    ["GET", "tasks/unknown/pushNotificationConfigs", undefined, 400],
  ];
  for (const [method, path, body, status] of rows) {
    const response = await http(clerk, method, path, body);
    assertEquals(
      [response.status, pick(await response.json(), "error", "code")],
      [status, status],
      path,
    );
  }
  assertEquals(clerk.errors, []);
});

Deno.test("a request without the version 1.0 is rejected", async () => {
  await using clerk = serveClerk();
  for (const version of ["", "0.3", "1", "1.1", "1.0.", "01.0", "1.0, 1.0", "x".repeat(1000)]) {
    const response = await rpc(clerk, "GetTask", { id: "a" }, {
      headers: { "a2a-version": version },
    });
    const error = pick(await response.json(), "error");
    assertEquals(pick(error, "code"), -32009);
    assertStringIncludes(String(pick(error, "message")), '"1.0"');
  }
  // A patch version is not compared (section 3.6).
  for (const version of ["1.0", "1.0.0", "1.0.12"]) {
    const query = new Request(`${ENDPOINT}/tasks?A2A-Version=${version}`);
    assertEquals((await send(clerk, query)).status, 200);
  }
});

Deno.test("a request without a principal is rejected, unless anonymous callers are allowed", async () => {
  await using clerk = serveClerk();
  for (
    const method of ["SendMessage", "SendStreamingMessage", "GetTask", "ListTasks", "CancelTask"]
  ) {
    const response = await rpc(clerk, method, message("hello"), { as: null });
    assertEquals([response.status, pick(await response.json(), "error", "code")], [401, -32010]);
    assertEquals(response.headers.get("www-authenticate"), "Bearer");
  }
  assertEquals(
    (await send(clerk, new Request(`${ENDPOINT}/tasks`, { headers: HEADERS }), null)).status,
    401,
  );
  await using open = serveClerk({ allowAnonymous: true });
  const request = new Request(`${ENDPOINT}/tasks`, { headers: HEADERS });
  assertEquals((await open.handler(request, { isDenied: true })).status, 401);
  const task = await ask(open, "hello", { as: null });
  assertEquals(stateOf(task), "COMPLETED");
  assertEquals(await call(open, "GetTask", { id: idOf(task) }, { as: "-" }), -32001);
  assertEquals(pick(await call(open, "ListTasks", {}, { as: null }), "totalSize"), 1);
});

Deno.test("two callers with the same ids do not share anything", async () => {
  await using clerk = serveClerk({ push: { allowPrivateAddresses: true } });
  const rest = { contextId: "c1", messageId: "m1" };
  const alice = await ask(clerk, "ask", { rest });
  assertEquals(stateOf(alice), "INPUT_REQUIRED");
  const id = idOf(alice);
  const config = { taskId: id, id: "p1", url: "https://client.example/hook" };
  await call(clerk, "CreateTaskPushNotificationConfig", config);
  const methods: readonly (readonly [string, object])[] = [
    ["GetTask", { id }],
    ["CancelTask", { id }],
    ["SubscribeToTask", { id }],
    ["SendMessage", message("left", { taskId: id })],
    ["SendStreamingMessage", message("left", { taskId: id })],
    ["CreateTaskPushNotificationConfig", config],
    ["GetTaskPushNotificationConfig", { taskId: id, id: "p1" }],
    ["ListTaskPushNotificationConfigs", { taskId: id }],
    ["DeleteTaskPushNotificationConfig", { taskId: id, id: "p1" }],
  ];
  for (const [method, params] of methods) {
    assertEquals(await call(clerk, method, params, { as: "bob" }), -32001, method);
  }
  assertEquals(await call(clerk, "ListTasks", {}, { as: "bob" }), {
    tasks: [],
    nextPageToken: "",
    pageSize: 50,
    totalSize: 0,
  });
  // The same context and message id of the other caller are another task with the same id.
  const bob = await ask(clerk, "hello", { rest, as: "bob" });
  assertEquals([idOf(bob), stateOf(bob)], [id, "COMPLETED"]);
  assertEquals(stateOf(await call(clerk, "GetTask", { id })), "INPUT_REQUIRED");
  const foreign = await call(clerk, "ListTaskPushNotificationConfigs", { taskId: id }, {
    as: "bob",
  });
  assertEquals(pick(foreign, "configs"), []);
  const own = await call(clerk, "ListTaskPushNotificationConfigs", { taskId: id });
  assertEquals(pick(own, "configs", 0, "id"), "p1");
});

Deno.test("a message to a task is the value of the signal that the task waits for", async () => {
  await using clerk = serveClerk();
  const task = await ask(clerk, "ask", { rest: { contextId: "c1" } });
  assertEquals(stateOf(task), "INPUT_REQUIRED");
  assertEquals(pick(task, "status", "message", "parts"), [{ text: "Which one?" }]);
  const taskId = idOf(task);
  const other = { taskId, contextId: "c2" };
  assertEquals(await ask(clerk, "left", { rest: other }), -32602);
  const answered = await ask(clerk, "left", { rest: { taskId, contextId: "c1" } });
  assertEquals(stateOf(answered), "COMPLETED");
  assertEquals(pick(answered, "artifacts", 0, "parts"), [{ text: 'Result: "left"' }]);
  assertEquals(await ask(clerk, "right", { rest: { taskId } }), -32004);
  assertEquals(await ask(clerk, "right", { rest: { taskId: "unknown.1" } }), -32001);
});

Deno.test("the first data of a message is the value of the signal", async () => {
  await using clerk = serveClerk();
  const taskId = idOf(await ask(clerk, "ask"));
  const parts = [{ text: "This one:" }, { data: { side: "left" } }];
  const answered = await ask(clerk, "", { rest: { messageId: "m2", taskId, parts } });
  assertEquals(pick(answered, "artifacts", 0, "parts"), [{ text: 'Result: {"side":"left"}' }]);
});

Deno.test("a message denies the pending tool calls, and never approves them", async () => {
  await using clerk = serveClerk();
  const task = await ask(clerk, "both");
  assertEquals(stateOf(task), "AUTH_REQUIRED");
  assertEquals(pick(task, "status", "message", "parts"), [
    { text: 'Approval required: "pay", "ship"' },
  ]);
  assertEquals(JSON.stringify(task).includes("iban"), false);
  const metadata = { "urn:parley:a2a:approvals:v1": { approve: [] } };
  const denied = await ask(clerk, "Approved. Yes!", {
    rest: { taskId: idOf(task), metadata },
    headers: { "a2a-extensions": "urn:parley:a2a:approvals:v1" },
  });
  assertEquals(pick(denied, "artifacts", 0, "parts"), [
    { text: "Result: denied Approved. Yes! denied Approved. Yes!" },
  ]);
});

Deno.test("a message that answers a question leaves the approvals to the operator", async () => {
  await using clerk = serveClerk();
  const started = await clerk.served.start({ subject: "alice" }, { turn: "both" });
  const { waitingFor: [pay, ship] } = await started.settled({ until: "waiting" });
  assertEquals([pay?.kind, ship?.kind], ["approval", "approval"]);
  const path = ["clerk"];
  const signal = { kind: "signal", key: "Which one?", path, toolName: "ask" } as const;
  const inputs: unknown[] = [];
  const run: ServedRun = {
    id: "t1",
    sessionId: "c1",
    startedAt: 0,
    metadata: {},
    state: { status: "waiting", waitingFor: [...pay ? [pay] : [], signal], updatedAt: 0 },
    events: (options) => started.events(options),
    settled: () => Promise.resolve(run.state),
    input: (...input) => {
      inputs.push(input);
      return Promise.resolve(true);
    },
    cancel: () => Promise.resolve(true),
  };
  const handler = a2aHandler({
    start: () => Promise.resolve(run),
    get: () => Promise.resolve(run),
    list: () => Promise.resolve({ runs: [run] }),
    messages: () => Promise.resolve([]),
  });
  const task = await ask({ handler }, "left", { rest: { taskId: "t1" } });
  assertEquals(stateOf(task), "INPUT_REQUIRED");
  assertEquals(pick(task, "status", "message", "parts"), [{ text: "Which one?" }]);
  assertEquals(inputs, [["Which one?", "left"]]);
});

Deno.test("the caller approves tool calls if the option and the extension are active", async () => {
  const headers = { "a2a-extensions": "urn:parley:a2a:approvals:v1" };
  const uri = "urn:parley:a2a:approvals:v1";
  await using clerk = serveClerk({ approvals: "caller" });
  const task = await ask(clerk, "both", { headers });
  const pending = pick(task, "status", "message", "metadata", uri, "pending");
  const input = { amount: 5, iban: "secret" };
  assertEquals(pick(pending, 0, "toolName"), "pay");
  assertEquals(pick(pending, 0, "input"), input);
  const key = pick(pending, 0, "key");
  const taskId = idOf(task);
  const decide = (metadata: object, extensions: object): Promise<unknown> =>
    ask(clerk, "no", { rest: { taskId, metadata }, headers: { ...extensions } });
  assertEquals(await decide({ [uri]: { approve: "all" } }, headers), -32602);
  const decided = await decide({ [uri]: { approve: [key] } }, headers);
  assertEquals(pick(decided, "artifacts", 0, "parts"), [{ text: 'Result: "paid" denied no' }]);
  // Without the extension in the request, the message denies the calls.
  const second = await ask(clerk, "pay");
  assertEquals(pick(second, "status", "message", "metadata"), undefined);
  const denied = await ask(clerk, "no", {
    rest: { taskId: idOf(second), metadata: { [uri]: { approve: [key] } } },
  });
  assertEquals(pick(denied, "artifacts", 0, "parts"), [{ text: "Result: denied no" }]);
});

Deno.test("the error of a run is masked", async () => {
  await using clerk = serveClerk();
  const task = await ask(clerk, "fail");
  assertEquals(stateOf(task), "FAILED");
  assertEquals(pick(task, "status", "message", "parts"), [{ text: "An error occurred" }]);
  assertEquals(JSON.stringify(task).includes("hunter2"), false);
});

Deno.test("an exception is masked and reported", async () => {
  const error = new Error("database password: hunter2");
  const errors: unknown[] = [];
  const reject = (): Promise<never> => Promise.reject(error);
  const handler = a2aHandler(
    { start: reject, get: reject, list: reject, messages: reject },
    { onError: (each) => errors.push(each) },
  );
  const response = await rpc({ handler }, "GetTask", { id: "a" });
  assertEquals(await response.json(), {
    jsonrpc: "2.0",
    id: 1,
    error: { code: -32603, message: "An internal error occurred" },
  });
  assertEquals(errors, [error]);
});

Deno.test("returnImmediately does not wait for the task, and cancel ends it", async () => {
  await using clerk = serveClerk();
  const sent = await call(clerk, "SendMessage", {
    ...message("slow"),
    configuration: { returnImmediately: true, historyLength: 0 },
  });
  const task = pick(sent, "task");
  assertEquals([stateOf(task), pick(task, "history")], ["WORKING", undefined]);
  const id = idOf(task);
  assertEquals(stateOf(await call(clerk, "CancelTask", { id })), "CANCELED");
  assertEquals(await call(clerk, "CancelTask", { id }), -32002);
  assertEquals(await call(clerk, "SubscribeToTask", { id }), -32004);
});

Deno.test("a client that disconnects stops waiting, and the task continues", async () => {
  await using clerk = serveClerk();
  const client = new AbortController();
  const request = new Request(`${ENDPOINT}/message:send`, {
    method: "POST",
    headers: HEADERS,
    body: JSON.stringify(message("slow")),
    signal: client.signal,
  });
  const waiting = send(clerk, request);
  await clerk.gate.reached;
  client.abort();
  assertEquals((await waiting).status, 500);
  assertEquals(clerk.errors, []);
  clerk.gate.release();
  const { tasks } = Object(await call(clerk, "ListTasks", {}));
  const run = await clerk.served.get({ subject: "alice" }, idOf(tasks[0]));
  assertEquals((await run?.settled())?.result?.finalText, "You said: slow");
});

Deno.test("a body, a message and a header that are too large are rejected", async () => {
  await using clerk = serveClerk({ maxBodyBytes: 1000, maxParts: 2 });
  const large = await rpc(clerk, "SendMessage", message("x".repeat(1000)));
  assertEquals([large.status, pick(await large.json(), "error", "code")], [413, -32602]);
  const path = await http(clerk, "POST", "message:send", message("x".repeat(1000)));
  assertEquals(path.status, 413);
  const parts = [{ text: "a" }, { text: "b" }, { text: "c" }];
  assertEquals(await ask(clerk, "a", { rest: { parts } }), -32602);
  assertEquals(await ask(clerk, "a", { rest: { contextId: "c".repeat(513) } }), -32602);
  const headers = { "a2a-extensions": "urn:x,".repeat(700) };
  assertEquals(await ask(clerk, "a", { headers }), -32600);
  assertEquals(stateOf(await ask(clerk, "still here")), "COMPLETED");
});

Deno.test("media types that are not supported are rejected", async () => {
  await using clerk = serveClerk({ inputModes: ["text/*", "image/png"] });
  const parts = (part: object): object => ({ rest: { parts: [part] } });
  assertEquals(await ask(clerk, "a", parts({ data: {} })), -32005);
  assertEquals(await ask(clerk, "a", parts({ raw: "aGk=", mediaType: "image/gif" })), -32005);
  assertEquals(await ask(clerk, "a", parts({ raw: "aGk=" })), -32005);
  assertEquals(
    await ask(clerk, "a", parts({ url: "http://a.example/x.png", mediaType: "image/png" })),
    -32602,
  );
  assertEquals(
    stateOf(await ask(clerk, "a", parts({ raw: "aGk", mediaType: "IMAGE/PNG; a=b" }))),
    "COMPLETED",
  );
  const accept = (mode: string): Promise<unknown> =>
    call(clerk, "SendMessage", { ...message("a"), configuration: { acceptedOutputModes: [mode] } });
  assertEquals(await accept("image/png"), -32005);
  assertEquals(stateOf(pick(await accept("text/*"), "task")), "COMPLETED");
});

Deno.test("a message of an agent is rejected", async () => {
  await using clerk = serveClerk();
  assertEquals(await ask(clerk, "a", { rest: { role: "ROLE_AGENT" } }), -32602);
});

Deno.test("parts that are too large for the history are left out", async () => {
  await using clerk = serveClerk({ inputModes: ["*/*"] });
  const large = { raw: "A".repeat(80_000), mediaType: "image/png" };
  const parts = [{ text: "look" }, large];
  const task = await ask(clerk, "look", { rest: { parts } });
  assertEquals(pick(task, "history", 0, "parts"), [{ text: "look" }]);
  const alone = await ask(clerk, "look", { rest: { parts: [large] } });
  assertEquals([stateOf(alone), pick(alone, "history")], ["COMPLETED", undefined]);
});

Deno.test("the history of a long message fits beside the scopes of its caller", async () => {
  await using clerk = serveClerk();
  const text = "x".repeat(32_000);
  const request = new Request(`${ENDPOINT}/message:send`, {
    method: "POST",
    headers: HEADERS,
    body: JSON.stringify(message(text, { messageId: "m1" })),
  });
  const scopes = Array.from({ length: 1000 }, (_, index) => `https://a.example/${index}`);
  const response = await clerk.handler(request, { principal: { subject: "alice", scopes } });
  const task = pick(await response.json(), "task");
  assertEquals(pick(task, "history", 0, "parts"), [{ text }]);
  assertEquals(stateOf(task), "COMPLETED");
});

Deno.test("a result with a file is an artifact with two parts", async () => {
  await using clerk = serveClerk();
  assertEquals(pick(await ask(clerk, "file"), "artifacts", 0, "parts"), [
    { text: "You said: file" },
    { raw: "aGk=", mediaType: "text/plain", filename: "a.txt" },
  ]);
});

Deno.test("messages with one id are two tasks, unless the client promises unique ids", async () => {
  await using clerk = serveClerk();
  const rest = { messageId: "m1" };
  const first = await ask(clerk, "one", { rest });
  const second = await ask(clerk, "two", { rest });
  assertEquals(idOf(first) === idOf(second), false);
  const headers = { "a2a-extensions": "urn:parley:a2a:unique-message-ids:v1" };
  const third = await ask(clerk, "three", { rest, headers });
  const again = await ask(clerk, "three", { rest, headers });
  assertEquals(again, third);
  assertEquals(stateOf(await ask(clerk, "other", { rest, headers, as: "bob" })), "COMPLETED");
  assertEquals(pick(await call(clerk, "ListTasks", {}), "totalSize"), 3);
  assertEquals(pick(await call(clerk, "ListTasks", {}, { as: "bob" }), "totalSize"), 1);
});

Deno.test("a required extension must be activated", async () => {
  const uri = "https://example.com/ext/v1";
  await using clerk = serveClerk({ extensions: [{ uri, isRequired: true }] });
  const response = await rpc(clerk, "GetTask", { id: "a" });
  assertEquals(pick(await response.json(), "error"), {
    code: -32008,
    message: "The request must use a required extension",
    data: [{
      "@type": "type.googleapis.com/google.rpc.ErrorInfo",
      reason: "EXTENSION_SUPPORT_REQUIRED",
      domain: "a2a-protocol.org",
      metadata: { extension: uri },
    }],
  });
  const headers = { "a2a-extensions": `urn:other, ${uri}` };
  const accepted = await rpc(clerk, "SendMessage", message("a"), { headers });
  assertEquals(accepted.headers.get("a2a-extensions"), uri);
  assertEquals(stateOf(pick(await accepted.json(), "result", "task")), "COMPLETED");
});

Deno.test("an extension verifies the author of a message", async () => {
  const uri = "https://example.com/signed/v1";
  const requests: unknown[] = [];
  await using clerk = serveClerk({
    extensions: [{
      uri,
      check: (request) => {
        requests.push(request);
        return { subject: String(pick(request, "message", "metadata", "author")) };
      },
    }],
  });
  const headers = { "a2a-extensions": uri };
  const rest = { metadata: { author: "carol" }, kind: "message" };
  const task = await ask(clerk, "a", { rest, headers, as: null });
  assertEquals(stateOf(task), "COMPLETED");
  assertEquals(requests, [{
    message: {
      messageId: "m a",
      role: "ROLE_USER",
      parts: [{ text: "a" }],
      metadata: { author: "carol" },
    },
  }]);
  assertEquals(idOf(await call(clerk, "GetTask", { id: idOf(task) }, { as: "carol" })), idOf(task));
  assertEquals(await ask(clerk, "a", { rest, as: null }), -32010);
});

Deno.test("the extended card is for authenticated callers", async () => {
  await using none = serveClerk();
  assertEquals(await call(none, "GetExtendedAgentCard", {}), -32004);
  await using clerk = serveClerk({
    allowAnonymous: true,
    extendedCard: ({ subject }) =>
      subject === "bob" ? undefined : {
        name: subject,
        description: "d",
        version: "1",
        supportedInterfaces: [],
        capabilities: {},
        defaultInputModes: [],
        defaultOutputModes: [],
        skills: [],
      },
  });
  assertEquals(pick(await call(clerk, "GetExtendedAgentCard", {}), "name"), "alice");
  assertEquals(await call(clerk, "GetExtendedAgentCard", {}, { as: "bob" }), -32007);
  assertEquals(await call(clerk, "GetExtendedAgentCard", {}, { as: null }), -32010);
});

Deno.test("respondWith responds with the result of a completed task", async () => {
  await using clerk = serveClerk({ respondWith: "message" });
  const { message: answer } = Object(await call(clerk, "SendMessage", message("hello")));
  assertEquals([answer.role, answer.parts], ["ROLE_AGENT", [{ text: "You said: hello" }]]);
  assertEquals("task" in Object(await call(clerk, "SendMessage", message("ask"))), true);
  const stream = await rpc(clerk, "SendStreamingMessage", message("hello"));
  const [update, ...rest] = await Array.fromAsync(readStream(stream));
  assertEquals(pick(update, "result", "message", "parts"), [{ text: "You said: hello" }]);
  assertEquals(rest, []);
});

Deno.test("tasks are listed in pages, the most recently changed first", async () => {
  await using clerk = serveClerk();
  const ids: unknown[] = [];
  for (const text of ["one", "fail", "two", "ask", "three"]) {
    ids.unshift(idOf(await ask(clerk, text, { rest: { contextId: text === "two" ? "c2" : "" } })));
  }
  const list = async (params: object): Promise<readonly unknown[]> => {
    const found: unknown[] = [];
    let pageToken = "";
    do {
      const page = await call(clerk, "ListTasks", { ...params, pageToken });
      const tasks = pick(page, "tasks");
      if (Array.isArray(tasks)) found.push(...tasks.map(idOf));
      pageToken = String(pick(page, "nextPageToken"));
    } while (pageToken !== "");
    return found;
  };
  const sorted = [...ids].sort();
  assertEquals([...await list({ pageSize: 2 })].sort(), sorted);
  assertEquals([...await list({})].sort(), sorted);
  assertEquals((await list({ status: "TASK_STATE_COMPLETED", pageSize: 1 })).length, 3);
  assertEquals(await list({ status: "TASK_STATE_FAILED" }), [ids[3]]);
  assertEquals(await list({ status: "TASK_STATE_INPUT_REQUIRED" }), [ids[1]]);
  assertEquals(await list({ status: "TASK_STATE_AUTH_REQUIRED" }), []);
  assertEquals(await list({ contextId: "c2" }), [ids[2]]);
  assertEquals(await list({ statusTimestampAfter: "2999-01-01T00:00:00Z" }), []);
  assertEquals((await list({ statusTimestampAfter: "1960-01-01T00:00:00Z" })).length, 5);
  const totals = async (params: object): Promise<unknown> =>
    pick(await call(clerk, "ListTasks", { pageSize: 1, ...params }), "totalSize");
  assertEquals([await totals({}), await totals({ status: "TASK_STATE_COMPLETED" })], [5, 3]);
  const { tasks: [task] } = Object(await call(clerk, "ListTasks", { contextId: "c2" }));
  assertEquals([task.artifacts, task.history.length], [undefined, 1]);
});

Deno.test("the flood of a caller does not affect another caller", async () => {
  await using clerk = serveClerk({ maxStreamsPerCaller: 2 }, { maxOpenRunsPerCaller: 4 });
  const slow = (as: string): Promise<Response> =>
    rpc(clerk, "SendStreamingMessage", message("slow"), { as });
  const open = [await slow("eve"), await slow("eve")];
  const refused = await slow("eve");
  assertEquals([refused.status, pick(await refused.json(), "error", "code")], [429, -32011]);
  const start = { ...message("slow"), configuration: { returnImmediately: true } };
  // The stream that was rejected has not started a task.
  await call(clerk, "SendMessage", start, { as: "eve" });
  await call(clerk, "SendMessage", start, { as: "eve" });
  assertEquals(await call(clerk, "SendMessage", start, { as: "eve" }), -32011);
  open.push(await slow("alice"));
  assertEquals(stateOf(await ask(clerk, "hello", { as: "alice" })), "COMPLETED");
  // Closed streams, and streams that were not opened, give their places back.
  await open[0]?.body?.cancel();
  assertEquals(await call(clerk, "SubscribeToTask", { id: "unknown" }, { as: "eve" }), -32001);
  const { tasks: [task] } = Object(await call(clerk, "ListTasks", {}, { as: "eve" }));
  const reopened = await rpc(clerk, "SubscribeToTask", { id: task.id }, { as: "eve" });
  assertEquals(reopened.headers.get("content-type"), "text/event-stream");
  clerk.gate.release();
  for (const response of [...open.slice(1), reopened]) await Array.fromAsync(readStream(response));
});

Deno.test("a page of another site cannot cancel a task", async () => {
  await using clerk = serveClerk();
  const id = idOf(await ask(clerk, "ask"));
  const path = `${ENDPOINT}/tasks/${encodeURIComponent(id)}:cancel`;
  const post = async (headers: Readonly<Record<string, string>>): Promise<number> => {
    const request = new Request(path, {
      method: "POST",
      headers: { "a2a-version": "1.0", ...headers },
    });
    return (await send(clerk, request)).status;
  };
  assertEquals(await post({ "sec-fetch-site": "cross-site" }), 415);
  assertEquals(await post({ "content-type": "text/plain" }), 415);
  assertEquals(await post({}), 200);
});

Deno.test("the capabilities of the handler follow from its options", async () => {
  await using clerk = serveClerk();
  assertEquals(clerk.handler.capabilities, {
    streaming: true,
    pushNotifications: false,
    extendedAgentCard: false,
    extensions: [{ uri: "urn:parley:a2a:unique-message-ids:v1" }],
  });
  await using full = serveClerk({
    push: {},
    approvals: "caller",
    extendedCard: () => undefined,
    extensions: [{ uri: "urn:x", isRequired: true, description: "d", params: { did: "did:x" } }],
  });
  assertEquals(full.handler.capabilities, {
    streaming: true,
    pushNotifications: true,
    extendedAgentCard: true,
    extensions: [
      { uri: "urn:parley:a2a:unique-message-ids:v1" },
      { uri: "urn:parley:a2a:approvals:v1" },
      { uri: "urn:x", description: "d", required: true, params: { did: "did:x" } },
    ],
  });
});

Deno.test("options that are not valid are rejected", async () => {
  await using clerk = serveClerk();
  const create = (options: object): void => void a2aHandler(clerk.served, options);
  assertThrows(() => create({ maxBodyBytes: 0 }), RangeError, "maxBodyBytes");
  assertThrows(() => create({ alowAnonymous: true }), TypeError, "allowAnonymous");
  assertThrows(() => create({ allowAnonymous: "yes" }), TypeError, "allowAnonymous");
  assertThrows(() => create({ approvals: "everyone" }), TypeError, "approvals");
  assertThrows(() => create({ push: { maxConfigs: -1 } }), RangeError, "push.maxConfigs");
  assertThrows(() => create({ extensions: [{ url: "urn:x" }] }), TypeError, "extensions[0]");
});
