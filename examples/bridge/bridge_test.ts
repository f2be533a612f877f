import { createChannelPair, generateSigner, type MessageSigner } from "@parley/comm";
import { createVerifier, type MessageVerifier, ReplayGuard } from "@parley/comm/policy";
import { createPeer, type Peer, type PeerHandler } from "@parley/comm/requests";
import {
  createMemoryTransport,
  type InputHandlers,
  McpClient,
  McpServer,
  servePipe,
} from "@parley/mcp";
import { type AgentConfig, ToolLoopAgent } from "@parley/runtime";
import {
  agentMcpTool,
  agentService,
  remoteAgent,
  type RequestSender,
  samplingFrom,
} from "@parley/runtime/bridge";
import { memoryRuns, openRuns, type RunEngine, type Runs } from "@parley/runtime/runs";
import { serveRuns, serveSessions } from "@parley/runtime/serve";
import { memoryStorage } from "@parley/runtime/session";
import { createGate, scriptedModel } from "@parley/runtime/testing";
import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";

const PROTOCOL = "agent.task.v1";
const ASK = { calls: [{ toolName: "ask_librarian", input: { task: "6 * 7?" } }] };

/** Two connected peers: one that sends requests and one that serves them. */
class Connection implements AsyncDisposable {
  readonly clerk: MessageSigner;
  readonly librarian: MessageSigner;
  readonly asking: Peer;
  readonly serving: Peer;

  constructor(clerk: MessageSigner, librarian: MessageSigner) {
    this.clerk = clerk;
    this.librarian = librarian;
    const [clerkSide, librarianSide] = createChannelPair();
    const verifierOf = (recipient: string): MessageVerifier =>
      createVerifier({ recipient, replayGuard: new ReplayGuard() });
    const onError = (): void => {};
    this.asking = createPeer({
      signer: clerk,
      verifier: verifierOf(clerk.did),
      transport: clerkSide,
      protocol: PROTOCOL,
      onError,
    });
    this.serving = createPeer({
      signer: librarian,
      verifier: verifierOf(librarian.did),
      transport: librarianSide,
      protocol: PROTOCOL,
      onError,
    });
  }

  /** Runs an agent that asks the librarian once, and returns the output of the tool call. */
  async ask(signal?: AbortSignal): Promise<unknown> {
    await using agent = new ToolLoopAgent({
      name: "clerk",
      model: scriptedModel([ASK, { text: "Done" }]),
      onAbort: "throw",
      tools: [remoteAgent({
        name: "ask_librarian",
        description: "Asks the librarian",
        recipient: this.librarian.did,
        peer: this.asking,
        timeoutMs: 10_000,
      })],
    });
    const { iterations } = await agent.run("Ask", { runId: "run-1", ...signal && { signal } });
    return iterations[0]?.toolResults[0]?.output;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.asking.close(), this.serving.close()]);
  }
}

/** An engine that survives `close()`, like a database that several processes share. */
function shared(engine: RunEngine): RunEngine {
  return { ...engine, [Symbol.asyncDispose]: () => Promise.resolve() };
}

/** Opens the librarian's runs, starts a worker, calls the test function, and closes the runs. */
async function withLibrarian(
  config: Omit<AgentConfig, "name">,
  test: (runs: Runs) => Promise<void>,
  engine: RunEngine = memoryRuns(),
): Promise<void> {
  const make = (): ToolLoopAgent => new ToolLoopAgent({ name: "librarian", ...config });
  const runs = openRuns(engine, { librarian: { version: "1", make } });
  const working = runs.work();
  try {
    await test(runs);
  } finally {
    await runs.close();
    await working;
  }
}

Deno.test("an agent that asks another agent over signed messages receives its answer", async () => {
  await using connection = new Connection(await generateSigner(), await generateSigner());
  await withLibrarian({ model: scriptedModel([{ text: "42" }]) }, async (runs) => {
    connection.serving.serve(agentService(serveRuns(runs, { agent: "librarian" })));
    assertEquals(await connection.ask(), { type: "text", value: "42" });
    const [run] = await runs.list();
    assertEquals(run?.runId.startsWith(`=${connection.clerk.did}/`), true);
  });
});

Deno.test("a task that is sent again after both programs have restarted meets its recorded result", async () => {
  const [clerk, librarian] = [await generateSigner(), await generateSigner()];
  const engine = shared(memoryRuns());
  const model = scriptedModel([{ text: "42" }]);
  for (let start = 0; start < 2; start++) {
    await using connection = new Connection(clerk, librarian);
    await withLibrarian({ model }, async (runs) => {
      connection.serving.serve(agentService(serveRuns(runs, { agent: "librarian" })));
      assertEquals(await connection.ask(), { type: "text", value: "42" });
    }, engine);
  }
  assertEquals(model.requests.length, 1);
});

Deno.test("a run continues if the connection of the requester is lost, and the task can be sent again", async () => {
  const [clerk, librarian] = [await generateSigner(), await generateSigner()];
  const gate = createGate();
  const model = scriptedModel([() => gate.wait().then(() => ({ text: "42" }))]);
  await withLibrarian({ model }, async (runs) => {
    {
      await using connection = new Connection(clerk, librarian);
      connection.serving.serve(agentService(serveRuns(runs, { agent: "librarian" })));
      const asking = connection.ask();
      await gate.reached;
      await connection.asking.close();
      assertStringIncludes(JSON.stringify(await asking), "error-text");
    }
    gate.release();
    await using connection = new Connection(clerk, librarian);
    connection.serving.serve(agentService(serveRuns(runs, { agent: "librarian" })));
    assertEquals(await connection.ask(), { type: "text", value: "42" });
  });
});

Deno.test("a deferred approval is an error for the requester, and only the serving side decides", async () => {
  await using connection = new Connection(await generateSigner(), await generateSigner());
  const config: Omit<AgentConfig, "name"> = {
    model: scriptedModel([{ calls: [{ toolName: "publish" }] }, { text: "Published" }]),
    tools: [{ name: "publish", inputSchema: { type: "object" }, execute: () => "ok" }],
    approvalHandler: () => ({ decision: "defer" }),
  };
  await withLibrarian(config, async (runs) => {
    connection.serving.serve(agentService(serveRuns(runs, { agent: "librarian" })));
    assertStringIncludes(JSON.stringify(await connection.ask()), "approval_pending");
    const [run] = await runs.list();
    await runs.signal(run?.runId ?? "", run?.waitingFor[0]?.key ?? "", { decision: "approve" });
    assertEquals(await connection.ask(), { type: "text", value: "Published" });
  });
});

Deno.test("aborting the run of the requester cancels the run of the served agent", async () => {
  await using connection = new Connection(await generateSigner(), await generateSigner());
  const gate = createGate();
  const model = scriptedModel([() => gate.wait()]);
  await withLibrarian({ model }, async (runs) => {
    connection.serving.serve(agentService(serveRuns(runs, { agent: "librarian" })));
    const controller = new AbortController();
    const asking = connection.ask(controller.signal);
    await gate.reached;
    controller.abort();
    await assertRejects(() => asking);
    const [run] = await runs.list();
    assertEquals((await runs.result(run?.runId ?? "")).status, "cancelled");
    gate.release();
  });
});

Deno.test("an MCP client calls an agent as a tool and receives its progress", async () => {
  const server = new McpServer({ name: "library", version: "1.0.0" });
  await using served = serveSessions({
    storage: memoryStorage(),
    make: () => new ToolLoopAgent({ name: "librarian", model: scriptedModel([{ text: "42" }]) }),
  });
  server.registerTool(
    ...agentMcpTool(served, { name: "ask", description: "Asks the librarian" }),
  );
  const client = new McpClient({
    transport: createMemoryTransport((pipe) => servePipe(server, pipe)),
  });
  await client.connect();
  try {
    const [tool] = await client.listTools();
    assertEquals(tool?.inputSchema.required, ["task"]);
    const messages: unknown[] = [];
    const onProgress = ({ message }: { readonly message?: string }): void => {
      messages.push(message);
    };
    const { content } = await client.callTool("ask", { task: "6 * 7?" }, { onProgress });
    assertEquals([content, messages], [
      [{ type: "text", text: "42" }],
      ["Calling model scripted"],
    ]);
  } finally {
    await client.disconnect();
  }
});

Deno.test("an MCP server receives a sampling response from a model of the runtime", async () => {
  const server = new McpServer({ name: "poet", version: "1.0.0" });
  server.registerTool({ name: "rhyme", description: "Writes a rhyme" }, async (_args, context) => {
    const messages = [{ role: "user", content: { type: "text", text: "A rhyme" } }] as const;
    const response = await context.ask("rhyme", {
      method: "sampling/createMessage",
      params: { messages, maxTokens: 20 },
    });
    return JSON.stringify(response);
  });
  const createMessage = samplingFrom(scriptedModel([{ text: "Roses are red" }]), {
    approve: () => true,
  });
  const client = new McpClient({
    transport: createMemoryTransport((pipe) => servePipe(server, pipe)),
    handlers: { createMessage },
  });
  await client.connect();
  try {
    const { content } = await client.callTool("rhyme", {});
    assertStringIncludes(JSON.stringify(content), "Roses are red");
  } finally {
    await client.disconnect();
  }
});

Deno.test("the types of the bridge fit the types of peers, MCP servers and MCP clients", () => {
  type Fits<A, B> = A extends B ? true : false;
  const handler: Fits<ReturnType<typeof agentService>, PeerHandler> = true;
  const sender: Fits<Peer, RequestSender> = true;
  const sampling: Fits<
    ReturnType<typeof samplingFrom>,
    NonNullable<InputHandlers["createMessage"]>
  > = true;
  assertEquals([handler, sender, sampling], [true, true, true]);
});
