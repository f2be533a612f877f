/**
 * A program that uses every package. The packaging checks install the packages into an empty
 * project and run this program there, on Deno and on Node.js. The program needs no permissions.
 *
 * @module
 */

import { AgentCommMessage, generateSigner, signMessage, verifyMessage } from "@parley/comm";
import { canonicalize } from "@parley/comm/canonical-json";
import { parseDid } from "@parley/comm/did";
import { loadSuite } from "@parley/conformance";
import { createMemoryTransport, McpClient, McpServer, servePipe } from "@parley/mcp";
import { spawnServer } from "@parley/mcp/process";
import { ToolLoopAgent } from "@parley/runtime";
import { openAiChat } from "@parley/runtime/models";
import { scriptedModel } from "@parley/runtime/testing";

const ADD = {
  name: "add",
  description: "Adds two numbers",
  inputSchema: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  },
} as const;

function check(claim: boolean, what: string): void {
  if (!claim) throw new Error(`The installed packages are broken: ${what}`);
}

async function useComm(): Promise<void> {
  const [ann, bob] = [await generateSigner(), await generateSigner()];
  const message = new AgentCommMessage({
    sender: ann.did,
    recipient: bob.did,
    protocol: "agent.task.v1",
    messageType: "task_assign",
    payload: { question: "6 * 7" },
  });
  const signed = await signMessage(message, ann);
  check((await verifyMessage(signed, { recipient: bob.did })).ok, "a signature does not verify");
  const forged = new AgentCommMessage({ ...signed, payload: { question: "6 * 8" } });
  check(!(await verifyMessage(forged, { recipient: bob.did })).ok, "a forged message verifies");
  check(canonicalize({ b: 1, a: [] }) === `{"a":[],"b":1}`, "canonical JSON is wrong");
  check(parseDid(ann.did).method === "key", "a DID is not parsed");
}

async function useRuntime(): Promise<void> {
  const model = scriptedModel([
    { calls: [{ toolName: "add", input: { a: 1, b: 2 } }] },
    { text: "It is 3" },
  ]);
  const agent = new ToolLoopAgent({ name: "clerk", model });
  agent.registry.register({ ...ADD, execute: () => 3 });
  try {
    const output = await agent.run("What is 1 + 2?");
    check(output.finalText === "It is 3", "an agent returns no text");
    check(output.iterations[0]?.toolResults.length === 1, "an agent does not call the tool");
  } finally {
    await agent.terminate();
  }
  check(typeof openAiChat === "function", "a model adapter is missing");
}

async function useMcp(): Promise<void> {
  const server = new McpServer({ name: "adder", version: "1.0.0" });
  server.registerTool(ADD, ({ a, b }: { a: number; b: number }) => `${a + b}`);
  const expected = JSON.stringify([{ type: "text", text: "3" }]);
  const params = { name: "add", arguments: { a: 1, b: 2 } };
  const response = await server.handleRequest({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params,
  });
  check(JSON.stringify(response.result) === `{"content":${expected}}`, "a server does not respond");

  const client = new McpClient({
    transport: createMemoryTransport((pipe) => servePipe(server, pipe)),
  });
  await client.connect();
  try {
    const { content } = await client.callTool("add", { a: 1, b: 2 });
    check(JSON.stringify(content) === expected, "a client receives no result");
  } finally {
    await client.disconnect();
  }
  check(typeof spawnServer === "function", "spawnServer is missing");
}

await useComm();
await useRuntime();
await useMcp();
check(loadSuite().get("comm/canonical-json/sample")?.level === "MUST", "the kit has no cases");
console.log("every package works");
