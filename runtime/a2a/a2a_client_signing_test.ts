import { assert, assertEquals, assertRejects } from "@std/assert";
import type { JsonObject } from "../shared/json.ts";
import { A2aClient } from "./a2a_client.ts";
import type { ClientBinding } from "./client_request.ts";
import {
  ScriptedAgent,
  type ScriptedReply,
  type SeenRequest,
  taskOf,
} from "./testdata/scripted_agent.ts";

const BINDINGS: readonly ClientBinding[] = ["JSONRPC", "HTTP+JSON"];
const DONE = taskOf("COMPLETED");

/** Adds a member that stands for a signature. */
function withMark(request: JsonObject): JsonObject {
  return { ...request, metadata: { signed: true } };
}

/** Responds to each operation that the tests call. */
function respond({ body, path }: SeenRequest): ScriptedReply {
  const operation = `${Object(body).method ?? path}`;
  if (/stream/i.test(operation)) return { stream: [{ task: DONE }] };
  return { result: /send/i.test(operation) ? { task: DONE } : DONE };
}

/** Returns the parameters in the body of a request. */
function paramsIn(binding: ClientBinding, body: unknown): JsonObject {
  return binding === "JSONRPC" ? Object(body).params : Object(body);
}

for (const binding of BINDINGS) {
  Deno.test(`A2aClient signs the requests that send a message, and no others (${binding})`, async () => {
    await using agent = new ScriptedAgent(binding, respond);
    const requests: JsonObject[] = [];
    const client = await A2aClient.connect(agent.origin, {
      signRequest(request, context) {
        requests.push(request);
        assertEquals(context, { card: client.card });
        return withMark(request);
      },
    });
    const message = { messageId: "m", parts: [{ text: "Hi" }] };
    await client.send(message, { historyLength: 0 });
    for await (const update of client.stream(message)) {
      assertEquals<unknown>(update, { task: DONE });
    }
    await client.getTask("t1");

    const sent = { message: { ...message, role: "ROLE_USER" } };
    assertEquals(requests, [{ ...sent, configuration: { historyLength: 0 } }, sent]);
    const [first, second, third] = agent.seen.map(({ body }) => paramsIn(binding, body));
    assertEquals(first, withMark({ ...sent, configuration: { historyLength: 0 } }));
    assertEquals(second, withMark(sent));
    assert(!JSON.stringify(third ?? {}).includes("signed"));
  });

  Deno.test(`the signature of a request covers its tenant (${binding})`, async () => {
    await using agent = new ScriptedAgent(binding, () => ({ result: { task: DONE } }));
    agent.card = {
      supportedInterfaces: [{
        url: `${agent.origin}/a2a`,
        protocolBinding: binding,
        protocolVersion: "1.0",
        tenant: "a",
      }],
    };
    const tenants: unknown[] = [];
    const client = await A2aClient.connect(agent.origin, {
      signRequest(request) {
        tenants.push(request.tenant);
        return request;
      },
    });
    await client.send("Hi");
    assertEquals(tenants, ["a"]);
    assertEquals(paramsIn(binding, agent.seen[0]?.body).tenant, "a");
  });
}

Deno.test("A2aClient sends nothing if a request cannot be signed", async () => {
  await using agent = new ScriptedAgent("JSONRPC", () => ({ result: { task: DONE } }));
  const failing = await A2aClient.connect(agent.origin, {
    signRequest: () => Promise.reject(new Error("no key")),
  });
  await assertRejects(() => failing.send("Hi"), Error, "no key");
  await assertRejects(() => failing.stream("Hi").next(), Error, "no key");
  const wrong = await A2aClient.connect(agent.origin, {
    signRequest: () => "signed" as unknown as JsonObject,
  });
  await assertRejects(
    () => wrong.send("Hi"),
    TypeError,
    '"signRequest()" must be a JSON object, got "signed"',
  );
  assertEquals(agent.seen, []);
});

Deno.test("A2aClient stops waiting for a signature when the signal aborts", async () => {
  await using agent = new ScriptedAgent("JSONRPC", () => ({ result: { task: DONE } }));
  const controller = new AbortController();
  const signals: unknown[] = [];
  const client = await A2aClient.connect(agent.origin, {
    signRequest(_request, { signal }) {
      signals.push(signal);
      controller.abort("stop");
      return new Promise(() => {});
    },
  });
  const options = { signal: controller.signal };
  assertEquals(await client.send("Hi", options).catch((reason) => reason), "stop");
  assertEquals(await client.send("Hi", options).catch((reason) => reason), "stop");
  assertEquals(signals, [controller.signal]);
  assertEquals(agent.seen, []);
});
