import { deepStrictEqual } from "node:assert/strict";
import { test } from "node:test";
import { serveAcp } from "@parley/runtime/acp";
import { memoryStorage } from "@parley/runtime/session";
import { scriptedModel } from "@parley/runtime/testing";
import { createAgent } from "./agent.ts";

test("the agent reads a file through the editor", async () => {
  const model = scriptedModel([
    { calls: [{ toolName: "read_text_file", input: { path: "/project/a.txt" } }] },
    { text: "The file says hello." },
  ]);
  const input = new TransformStream<Uint8Array, Uint8Array>();
  const output = new TransformStream<Uint8Array, Uint8Array>();
  const served = serveAcp({ readable: input.readable, writable: output.writable }, {
    name: "coder",
    version: "0.0.0",
    storage: memoryStorage(),
    make: (session) => createAgent(session, model),
  });

  const writer = input.writable.getWriter();
  const send = (message: object) =>
    writer.write(new TextEncoder().encode(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`));
  const clientCapabilities = { fs: { readTextFile: true } };
  await send({ id: 1, method: "initialize", params: { protocolVersion: 1, clientCapabilities } });
  await send({ id: 2, method: "session/new", params: { cwd: "/project", mcpServers: [] } });

  let text = "";
  const reader = output.readable.getReader();
  for (let line = await reader.read(); !line.done; line = await reader.read()) {
    const { id, method, params, result } = JSON.parse(new TextDecoder().decode(line.value));
    if (id === 2) {
      const prompt = [{ type: "text", text: "What does a.txt say?" }];
      await send({ id: 3, method: "session/prompt", params: { ...result, prompt } });
    }
    if (method === "fs/read_text_file") await send({ id, result: { content: "hello" } });
    if (params?.update?.sessionUpdate === "agent_message_chunk") text += params.update.content.text;
    if (id === 3) await writer.close();
  }
  await served;
  deepStrictEqual(text, "The file says hello.");
});
