/**
 * Checks our client against `@modelcontextprotocol/server-everything`, over every transport.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { assertMcpError, checkCancellation, type ConnectedServer, textOf } from "./server.ts";

/** Checks all features of the server. */
export async function checkEverything(connected: ConnectedServer): Promise<void> {
  await checkTools(connected);
  await checkResources(connected);
  await checkPrompts(connected);
  await checkInputRequests(connected);
  await checkNotifications(connected);
  await checkCancellation(connected, "trigger-long-running-operation", { duration: 30, steps: 1 });
}

async function checkTools({ client, check }: ConnectedServer): Promise<void> {
  await check("listTools", async () => {
    const names = (await client.listTools()).map(({ name }) => name);
    for (const name of ["echo", "get-sum", "get-roots-list"]) assert(names.includes(name), name);
  });
  await check("callTool, text", async () => {
    const message = "Zoë 🦜\n\u0000" + "x".repeat(100_000);
    assertEquals(await textOf(client.callTool("echo", { message })), `Echo: ${message}`);
  });
  await check("callTool, structured content", async () => {
    const { structuredContent } = await client.callTool("get-structured-content", {
      location: "Chicago",
    });
    assertEquals(Object.keys(Object(structuredContent)).sort(), [
      "conditions",
      "humidity",
      "temperature",
    ]);
  });
  await check("callTool, images, links, resources", async () => {
    const typesOf = async (name: string, args = {}): Promise<string[]> =>
      (await client.callTool(name, args)).content.map(({ type }) => type);
    assertEquals(await typesOf("get-tiny-image"), ["text", "image", "text"]);
    assertEquals(await typesOf("get-resource-links", { count: 2 }), [
      "text",
      "resource_link",
      "resource_link",
    ]);
    assertEquals(await typesOf("get-resource-reference"), ["text", "resource", "text"]);
  });
  await check("callTool, 30 in parallel", async () => {
    const numbers = Array.from({ length: 30 }, (_, index) => index);
    const sums = await Promise.all(
      numbers.map((a) => textOf(client.callTool("get-sum", { a, b: 1 }))),
    );
    assertEquals(sums, numbers.map((a) => `The sum of ${a} and 1 is ${a + 1}.`));
  });
  await check(
    "callTool, invalid arguments",
    async () => assertEquals((await client.callTool("get-sum", { a: "two" })).isError, true),
  );
  await check(
    "callTool, an unknown tool",
    async () => assertEquals((await client.callTool("no-such-tool", {})).isError, true),
  );
  await check("progress", async () => {
    const updates: number[] = [];
    await client.callTool("trigger-long-running-operation", { duration: 0.15, steps: 3 }, {
      onProgress: ({ progress }) => updates.push(progress),
    });
    assertEquals(updates, [1, 2, 3]);
  });
}

async function checkResources({ client, check }: ConnectedServer): Promise<void> {
  await check("listResources, listResourceTemplates", async () => {
    assertEquals((await client.listResources()).length, 7);
    assertEquals((await client.listResourceTemplates()).map(({ uriTemplate }) => uriTemplate), [
      "demo://resource/dynamic/text/{resourceId}",
      "demo://resource/dynamic/blob/{resourceId}",
    ]);
  });
  await check("getResource", async () => {
    const [text] = (await client.getResource("demo://resource/dynamic/text/1")).contents;
    assert(text?.text?.includes("Resource 1"));
    const [blob] = (await client.getResource("demo://resource/dynamic/blob/1")).contents;
    assert(blob?.blob !== undefined);
  });
  await check(
    "getResource, an unknown URI",
    () => assertMcpError(client.getResource("demo://nowhere"), "protocol_error", -32602),
  );
}

async function checkPrompts({ client, check }: ConnectedServer): Promise<void> {
  await check("listPrompts, getPrompt", async () => {
    assertEquals((await client.listPrompts()).length, 4);
    const { messages } = await client.getPrompt("args-prompt", { city: "Oslo" });
    assertEquals(messages[0]?.content, { type: "text", text: "What's weather in Oslo?" });
  });
  await check(
    "getPrompt, a missing argument",
    () => assertMcpError(client.getPrompt("args-prompt"), "protocol_error", -32602),
  );
  await check(
    "getPrompt, an unknown prompt",
    () => assertMcpError(client.getPrompt("no-such-prompt"), "protocol_error", -32602),
  );
  await check("complete", async () => {
    const ref = { type: "ref/prompt", name: "completable-prompt" } as const;
    const { values } = await client.complete({ ref, argument: { name: "department", value: "E" } });
    assertEquals(values, ["Engineering"]);
    const template = "demo://resource/dynamic/text/{resourceId}";
    const { values: ids } = await client.complete({
      ref: { type: "ref/resource", uri: template },
      argument: { name: "resourceId", value: "7" },
    });
    assertEquals(ids, ["7"]);
  });
}

async function checkInputRequests({ client, check }: ConnectedServer): Promise<void> {
  await check("elicitation request", async () => {
    const answer = await textOf(client.callTool("trigger-elicitation-request", {}));
    assert(answer.includes("User provided the requested information"), answer);
  });
  await check("sampling request", async () => {
    const call = client.callTool("trigger-sampling-request", { prompt: "Hello" });
    assert((await textOf(call)).includes("Something"));
  });
  await check(
    "roots request",
    async () =>
      assert((await textOf(client.callTool("get-roots-list", {}))).includes("file:///home/ada")),
  );
}

async function checkNotifications(
  { client, notifications, check }: ConnectedServer,
): Promise<void> {
  await check("logging", async () => {
    await client.setLogLevel("debug");
    await client.callTool("toggle-simulated-logging", {});
    await notifications.find(({ method }) => method === "notifications/message");
    await client.callTool("toggle-simulated-logging", {});
  });
  await check("listen", async () => {
    const uri = "demo://resource/dynamic/text/1";
    const subscription = await client.listen({ resourceSubscriptions: [uri] });
    try {
      await client.callTool("toggle-subscriber-updates", {});
      for await (const { method, params } of subscription) {
        assertEquals([method, params?.uri], ["notifications/resources/updated", uri]);
        break;
      }
      await client.callTool("toggle-subscriber-updates", {});
    } finally {
      await subscription.close();
    }
  });
}
