/**
 * Checks the MCP features that a third-party client supports.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import type { Check } from "../check.ts";
import { WELCOME } from "../server.ts";
import type { InputRequest, ThirdPartyClient } from "./client.ts";

const INVALID_PARAMS = -32602;

/** Checks all supported features of a client. */
export async function checkFeatures(client: ThirdPartyClient, check: Check): Promise<void> {
  await checkTools(client, check);
  await checkAgentTools(client, check);
  await checkResources(client, check);
  await checkPrompts(client, check);
  await checkLongCalls(client, check);
  await checkInputRequests(client, check);
  await checkNotifications(client, check);
}

async function checkTools(client: ThirdPartyClient, check: Check): Promise<void> {
  await check("tools/list, all pages", async () => {
    const names = await client.listTools();
    assertEquals(new Set(names).size, names.length);
    for (const name of ["add", "fail", "ask_user", "touch"]) assert(names.includes(name), name);
  });
  await check("tools/call, structured content", async () => {
    const { content, structuredContent, isError } = await client.callTool("add", { a: 2, b: 3 });
    assertEquals(structuredContent, { sum: 5 });
    assertEquals(content, [{ type: "text", text: '{"sum":5}' }]);
    assert(isError !== true);
  });
  await check("tools/call, strings with special characters", async () => {
    for (
      const text of ["plain", " padded ", "Zoë 🦜\n\u0000", "x".repeat(100_000)]
    ) {
      assertEquals((await client.callTool("echo", { text })).content, [{ type: "text", text }]);
    }
  }, 20_000);
  await check("tools/call, an argument that is mirrored in a header", async () => {
    for (const place of ["Oslo", " padded ", "Zürich\n", "=?base64?eA==?=", ""]) {
      assertEquals((await client.callTool("visit", { place })).content[0]?.text, place);
    }
  });
  await check("tools/call, 30 in parallel", async () => {
    const numbers = Array.from({ length: 30 }, (_, index) => index);
    const sums = await Promise.all(numbers.map((a) => client.callTool("add", { a, b: 1 })));
    assertEquals(sums.map((each) => each.structuredContent), numbers.map((a) => ({ sum: a + 1 })));
  });
  await check("tools/call, a failing tool", async () => {
    const { content, isError } = await client.callTool("fail", {});
    assertEquals([isError, content[0]?.text], [true, "It went wrong"]);
  });
  await check("tools/call, invalid arguments", async () => {
    assertEquals((await client.callTool("add", { a: "two" })).isError, true);
  });
  await check(
    "tools/call, an unknown tool",
    () => assertRejectsWith(client.callTool("no_such_tool", {}), INVALID_PARAMS),
  );
}

async function checkAgentTools({ callAsAgent }: ThirdPartyClient, check: Check): Promise<void> {
  if (!callAsAgent) return;
  await check("a tool call by an agent", async () => {
    const seen = JSON.stringify(await callAsAgent("echo", { text: "Hello" }));
    assert(seen.includes("Hello"), seen);
  });
}

async function checkResources(client: ThirdPartyClient, check: Check): Promise<void> {
  const { listResources, listTemplates, readResource, completeTemplate } = client;
  if (listResources) {
    await check(
      "resources/list",
      async () => assertEquals(await listResources(), ["note://welcome", "note://bytes"]),
    );
  }
  if (listTemplates) {
    await check(
      "resources/templates/list",
      async () => assertEquals(await listTemplates(), ["note://{author}/{title}"]),
    );
  }
  if (readResource) {
    await check(
      "resources/read, text",
      async () => assertEquals(await readResource("note://welcome"), WELCOME),
    );
    await check(
      "resources/read, bytes",
      async () => assertEquals(await readResource("note://bytes"), "AQID"),
    );
    await check(
      "resources/read, a URI of a template",
      async () =>
        assertEquals(await readResource("note://Ada/First%20notes"), "First notes by Ada"),
    );
    await check(
      "resources/read, an unknown URI",
      () => assertRejectsWith(readResource("note://nowhere"), INVALID_PARAMS),
    );
  }
  if (completeTemplate) {
    await check(
      "completion/complete, a resource template",
      async () =>
        assertEquals(await completeTemplate("note://{author}/{title}", "author", "A"), [
          "Ada",
          "Alan",
        ]),
    );
  }
}

async function checkPrompts(client: ThirdPartyClient, check: Check): Promise<void> {
  const { listPrompts, getPrompt, completePrompt } = client;
  if (listPrompts) {
    await check("prompts/list", async () => assertEquals(await listPrompts(), ["greet"]));
  }
  if (getPrompt) {
    await check(
      "prompts/get",
      async () => assertEquals(await getPrompt("greet", { name: "Ada" }), "Greet Ada."),
    );
    await check(
      "prompts/get, a missing argument",
      () => assertRejectsWith(getPrompt("greet", {}), INVALID_PARAMS),
    );
    await check(
      "prompts/get, an unknown prompt",
      () => assertRejectsWith(getPrompt("no_such_prompt", {}), INVALID_PARAMS),
    );
  }
  if (completePrompt) {
    await check(
      "completion/complete, a prompt",
      async () => assertEquals(await completePrompt("greet", "tone", "w"), ["warm", "witty"]),
    );
  }
}

async function checkLongCalls(client: ThirdPartyClient, check: Check): Promise<void> {
  const { ping, enableLogging } = client;
  if (ping) await check("ping", ping);
  if (enableLogging) {
    await check("logging", async () => {
      await enableLogging();
      await client.callTool("report", {});
      const { params } = await client.notifications.find(({ method, params }) =>
        method === "notifications/message" && Object(params).data.step === 3
      );
      const { level, logger } = Object(params);
      assertEquals([level, logger], ["info", "reporter"]);
    });
  }
  if (client.hasProgress) {
    await check("progress", async () => {
      const expected = [1, 2, 3].map((progress) => (
        { progress, total: 3, message: `Step ${progress}` }
      ));
      const received: unknown[] = [];
      const allReceived = Promise.withResolvers<unknown>();
      const call = client.callTool("report_until_heard", {}, {
        progress: (update) => {
          if (received.push(update) === expected.length) allReceived.resolve(true);
        },
      });
      // The `report_until_heard` tool returns only after a call to `heard`, because some clients
      // drop progress notifications that arrive in the same chunk as the result.
      await Promise.race([allReceived.promise, call]);
      await client.callTool("heard", {});
      await call;
      assertEquals(received, expected);
    });
  }
  if (client.resumesClosedStream) {
    await check(
      "tools/call, a stream that the server closes",
      async () =>
        assertEquals((await client.callTool("leave", {})).content[0]?.text, "welcome back"),
    );
  }
  if (client.cancels) await check("cancellation", () => assertCancels(client));
}

async function assertCancels(client: ThirdPartyClient): Promise<void> {
  const controller = new AbortController();
  const begun = Promise.withResolvers<unknown>();
  const call = client.callTool("wait", {}, {
    signal: controller.signal,
    ...(client.hasProgress && { progress: begun.resolve }),
  });
  const outcome = call.then(() => "result", () => "rejected");
  // A client that does not support progress notifications calls the `waiting` tool to detect that
  // the `wait` tool has started.
  await (client.hasProgress ? begun.promise : untilSome(client, "waiting"));
  controller.abort(new Error("Enough"));
  assertEquals(await outcome, "rejected");
  assertEquals(await untilSome(client, "given_up"), "1");
}

/** Calls a tool repeatedly until the count that the tool returns is not zero. Returns the count. */
async function untilSome(client: ThirdPartyClient, tool: string): Promise<string | undefined> {
  let count: string | undefined = "0";
  while (count === "0") count = (await client.callTool(tool, {})).content[0]?.text;
  return count;
}

async function checkInputRequests(client: ThirdPartyClient, check: Check): Promise<void> {
  const expected: Record<InputRequest, string> = {
    user: "accept: Ada",
    model: "Something",
    roots: "file:///home/ada",
  };
  for (const [kind, text] of Object.entries(expected)) {
    const isSupported = client.inputRequests.some((each) => each === kind);
    await check(`input request: ${kind}${isSupported ? "" : ", not supported"}`, async () => {
      const call = client.callTool(`ask_${kind}`, {});
      if (isSupported) assertEquals((await call).content[0]?.text, text);
      else await assertRejectsWith(call, -32021);
    });
  }
}

async function checkNotifications(client: ThirdPartyClient, check: Check): Promise<void> {
  const { subscribe, notifications } = client;
  if (!subscribe) return;
  await check("notification of a changed resource", async () => {
    await subscribe("note://welcome");
    await client.callTool("touch", {});
    const { params } = await notifications.find((each) =>
      each.method === "notifications/resources/updated"
    );
    assertEquals(Object(params).uri, "note://welcome");
  });
  await check("notification of a changed tool list", async () => {
    await client.callTool("grow", {});
    await notifications.find((each) => each.method === "notifications/tools/list_changed");
    assert((await client.listTools()).includes("grown_1"));
  });
}

/** Asserts that a call rejects with the given JSON-RPC error code. */
async function assertRejectsWith(call: Promise<unknown>, code: number): Promise<void> {
  const outcome = await call.then((value) => ({ value }), (error) => ({ error }));
  assert("error" in outcome, `Expected a rejection, got ${Deno.inspect(outcome)}`);
  assertEquals(Object(outcome.error).code, code, String(outcome.error));
}
