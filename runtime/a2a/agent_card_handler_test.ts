import { assert, assertEquals, assertMatch, assertNotEquals, assertRejects } from "@std/assert";
import type { JsonObject } from "../shared/json.ts";
import { agentCardHandler, type AgentCardHandlerOptions } from "./agent_card_handler.ts";

const description = {
  name: "oracle",
  description: "Answers difficult questions",
  version: "1.0.0",
  skills: [{ id: "answer", name: "Answer", description: "Answers", tags: ["math"], examples: [] }],
};

const options = {
  url: "https://oracle.example/a2a",
  handler: { capabilities: { streaming: true, pushNotifications: false, extensions: [] } },
};

const canonical = {
  name: "oracle",
  description: "Answers difficult questions",
  version: "1.0.0",
  supportedInterfaces: [
    { url: "https://oracle.example/a2a", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
    { url: "https://oracle.example/a2a", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
  ],
  capabilities: { streaming: true, pushNotifications: false },
  defaultInputModes: ["text/plain", "application/json"],
  defaultOutputModes: ["text/plain", "application/json"],
  skills: [{ id: "answer", name: "Answer", description: "Answers", tags: ["math"] }],
};

const url = "https://oracle.example/.well-known/agent-card.json";

function request(method = "GET", headers: HeadersInit = {}): Request {
  return new Request(url, { method, headers });
}

Deno.test("agentCardHandler() serves the card with the endpoint and its capabilities", async () => {
  const handle = await agentCardHandler(description, options);
  const response = await handle(request());
  assertEquals(response.status, 200);
  assertEquals(response.headers.get("content-type"), "application/json");
  assertEquals(response.headers.get("cache-control"), "public, max-age=300");
  assertEquals(response.headers.get("access-control-allow-origin"), "*");
  assertMatch(response.headers.get("etag") ?? "", /^"[\w-]{22}"$/);
  assertEquals(await response.json(), canonical);
});

Deno.test("agentCardHandler() uses the media types and the maximum age of the caller", async () => {
  const card = { ...description, defaultInputModes: ["image/png"], defaultOutputModes: ["a/b"] };
  const handle = await agentCardHandler(card, { ...options, maxAgeSeconds: 0 });
  const response = await handle(request());
  assertEquals(response.headers.get("cache-control"), "public, max-age=0");
  const { defaultInputModes, defaultOutputModes } = await response.json();
  assertEquals([defaultInputModes, defaultOutputModes], [["image/png"], ["a/b"]]);
});

Deno.test("agentCardHandler() responds with 304 to a client that has the card", async () => {
  const handle = await agentCardHandler(description, options);
  const etag = (await handle(request())).headers.get("etag") ?? "";
  const other = await agentCardHandler({ ...description, version: "1.0.1" }, options);
  assertNotEquals((await other(request())).headers.get("etag"), etag);
  for (const known of [etag, `"x", W/${etag}`, "*"]) {
    for (const method of ["GET", "HEAD"]) {
      const response = await handle(request(method, { "if-none-match": known }));
      assertEquals([response.status, await response.text()], [304, ""]);
      assertEquals(response.headers.get("etag"), etag);
      assertEquals(response.headers.get("cache-control"), "public, max-age=300");
    }
  }
  for (const unknown of ['"x"', "", etag.slice(1), `"${etag}"`]) {
    const response = await handle(request("GET", { "if-none-match": unknown }));
    assertEquals(response.status, 200);
    await response.body?.cancel();
  }
});

Deno.test("agentCardHandler() responds to HEAD, to a preflight request and to others", async () => {
  const handle = await agentCardHandler(description, options);
  const get = await handle(request());
  const head = await handle(request("HEAD"));
  assertEquals([head.status, head.body], [200, null]);
  assertEquals([...head.headers], [...get.headers]);
  await get.body?.cancel();

  const preflight = await handle(request("OPTIONS", { "access-control-request-method": "GET" }));
  assertEquals(preflight.status, 204);
  assertEquals(preflight.headers.get("access-control-allow-origin"), "*");
  assertEquals(preflight.headers.get("access-control-allow-headers"), "*, authorization");

  for (const method of ["POST", "DELETE"]) {
    const response = await handle(request(method));
    assertEquals([response.status, response.headers.get("allow")], [405, "GET, HEAD, OPTIONS"]);
  }
});

Deno.test("agentCardHandler() signs the canonical card once", async () => {
  const signed: JsonObject[] = [];
  const sign = (card: JsonObject) => {
    signed.push(card);
    return Promise.resolve({ protected: "e30", signature: "AA" });
  };
  const handle = await agentCardHandler(description, { ...options, sign });
  for (const _ of [1, 2]) {
    assertEquals(await (await handle(request())).json(), {
      ...canonical,
      signatures: [{ protected: "e30", signature: "AA" }],
    });
  }
  assertEquals<unknown>(signed, [canonical]);
});

Deno.test("agentCardHandler() rejects a value that is not a signature", async () => {
  for (
    const value of [undefined, {}, { protected: "e30" }, { protected: "", signature: "AA" }, 1]
  ) {
    const sign = (() => value) as unknown as NonNullable<AgentCardHandlerOptions["sign"]>;
    await assertRejects(() => agentCardHandler(description, { ...options, sign }), TypeError);
  }
  const sign = () => Promise.reject(new Error("no key"));
  await assertRejects(() => agentCardHandler(description, { ...options, sign }), Error, "no key");
});

const rejected: readonly (readonly [change: object, message: string])[] = [
  [{ name: "" }, '"card.name" must be a non-empty string or array, got ""'],
  [{ version: undefined }, '"card.version" must be a non-empty string or array, got ""'],
  [{ skills: [] }, '"card.skills" must be a non-empty string or array, got an array'],
  [
    { skills: [{ ...description.skills[0], tags: [] }] },
    '"card.skills[0].tags" must be a non-empty string or array, got an array',
  ],
  [{ iconUrl: 1 }, '"card.iconUrl" must be a string'],
  [{ iconURL: "u" }, '"card.iconURL" must be a member that the protocol defines'],
  [
    { documentation_url: "u" },
    '"card.documentation_url" must be a member that the protocol defines',
  ],
];

for (const [change, message] of rejected) {
  Deno.test(`agentCardHandler() rejects a card: ${message}`, async () => {
    const error = await assertRejects(
      () => agentCardHandler({ ...description, ...change }, options),
      TypeError,
    );
    assertEquals(error.message, message);
  });
}

Deno.test("agentCardHandler() takes the capabilities and the endpoint from its options only", async () => {
  const card = {
    ...description,
    capabilities: { pushNotifications: true },
    supportedInterfaces: [],
  };
  const handle = await agentCardHandler(card, options);
  assertEquals(await (await handle(request())).json(), canonical);
});

Deno.test("agentCardHandler() rejects invalid options", async () => {
  for (const change of [{ url: "oracle" }, { url: "https://u:p@x.example" }, { handler: {} }]) {
    const invalid = { ...options, ...change } as AgentCardHandlerOptions;
    await assertRejects(() => agentCardHandler(description, invalid), TypeError);
  }
  const negative = { ...options, maxAgeSeconds: -1 };
  await assertRejects(() => agentCardHandler(description, negative), RangeError);
  assert(await agentCardHandler(description, { ...options, maxAgeSeconds: 0 }));
});
