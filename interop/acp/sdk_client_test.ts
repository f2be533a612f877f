/**
 * Tests the editor's side of `@agentclientprotocol/sdk` with our agent over standard streams, on
 * Deno and Node.js 22, and validates each message of the agent.
 */

import * as acp from "@agentclientprotocol/sdk";
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { run, withTempDir } from "../../tools/cli.ts";
import { bundleFor } from "../engines/chaos/runtimes.ts";
import { type Message, violationsOf } from "./message_schema.ts";

type Outcome = acp.RequestPermissionResponse["outcome"];

/** An agent in another process, and the editor of the SDK. */
class Editor {
  readonly files = new Map([["/w/a.txt", "text of a"]]);
  readonly updates: acp.SessionUpdate[] = [];
  readonly permissions: acp.RequestPermissionRequest[] = [];
  /** Violations of the messages of the agent. */
  readonly violations: string[] = [];
  /** Messages of the agent, in their order. */
  readonly messages: Message[] = [];
  outcome: Outcome = { outcome: "selected", optionId: "allow" };
  readonly #process: Deno.ChildProcess;
  readonly #requests = new Map<unknown, string>();

  constructor([command, ...args]: readonly string[]) {
    this.#process = new Deno.Command(command ?? "", {
      args: [...args],
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
  }

  /**
   * Calls a function with the connection of the SDK. Returns the exit code and the error output.
   */
  async use(
    work: (context: acp.ClientContext) => Promise<void>,
  ): Promise<{ readonly code: number; readonly errors: string }> {
    const { stderr, stdin, stdout, status } = this.#process;
    const errors = new Response(stderr).text();
    const input = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        this.#readSent(new TextDecoder().decode(chunk));
        controller.enqueue(chunk);
      },
    });
    const sending = input.readable.pipeTo(stdin);
    const [forSdk, forSchema] = stdout.tee();
    const validating = this.#validate(forSchema);
    await this.#client().connectWith(acp.ndJsonStream(input.writable, forSdk), work);
    await input.writable.close().catch(() => {});
    await sending.catch(() => {});
    const { code } = await status;
    await validating;
    return { code, errors: await errors };
  }

  #client() {
    const { client } = acp.methods;
    return acp.client({ name: "test" })
      .onRequest(client.session.requestPermission, ({ params }) => {
        this.permissions.push(params);
        return { outcome: this.outcome };
      })
      .onRequest(client.fs.readTextFile, ({ params }) => {
        const content = this.files.get(params.path);
        if (content === undefined) throw acp.RequestError.resourceNotFound(params.path);
        return { content };
      })
      .onRequest(client.fs.writeTextFile, ({ params }) => {
        this.files.set(params.path, params.content);
        return {};
      })
      .onRequest(client.terminal.create, () => ({ terminalId: "t1" }))
      .onRequest(client.terminal.waitForExit, () => ({ exitCode: 0 }))
      .onRequest(client.terminal.output, () => ({ output: "ok", truncated: false }))
      .onRequest(client.terminal.release, () => ({}))
      .onNotification(client.session.update, ({ params }) => {
        this.updates.push(params.update);
      });
  }

  #readSent(text: string): void {
    for (const line of text.split("\n")) {
      const { id, method }: Message = line === "" ? {} : JSON.parse(line);
      if (method !== undefined && id !== undefined) this.#requests.set(id, method);
    }
  }

  async #validate(output: ReadableStream<Uint8Array>): Promise<void> {
    const text = await new Response(output).text();
    for (const line of text.split("\n")) {
      if (line === "") continue;
      const message: Message = JSON.parse(line);
      this.messages.push(message);
      this.violations.push(...violationsOf(message, this.#requests));
    }
  }
}

const CAPABILITIES = { fs: { readTextFile: true, writeTextFile: true }, terminal: true };

/** Runs the conversation of the tests, and checks each step. */
async function converse(editor: Editor, context: acp.ClientContext): Promise<void> {
  const { agent } = acp.methods;
  const { agentInfo, protocolVersion } = await context.request<acp.InitializeResponse>(
    agent.initialize,
    {
      protocolVersion: acp.PROTOCOL_VERSION,
      clientCapabilities: CAPABILITIES,
    },
  );
  assertEquals([agentInfo?.name, protocolVersion], ["clerk", 1]);
  const { modes, sessionId } = await context.request(agent.session.new, {
    cwd: "/w",
    mcpServers: [],
  });
  assertEquals(modes?.availableModes.map(({ id }) => id), ["ask", "auto"]);

  const prompt = async (text: string): Promise<string> => {
    const blocks: acp.ContentBlock[] = [{ type: "text", text }];
    return (await context.request(agent.session.prompt, { sessionId, prompt: blocks })).stopReason;
  };
  assertEquals(await prompt("hello"), "end_turn");
  assertEquals(await prompt("read /w/a.txt"), "end_turn");
  assertEquals(await prompt("read /w/missing.txt"), "end_turn");
  assertEquals(await prompt("plan"), "end_turn");

  assertEquals(await prompt("write /w/b.txt"), "end_turn");
  assertEquals(editor.files.get("/w/b.txt"), "new");
  editor.outcome = { outcome: "selected", optionId: "reject" };
  assertEquals(await prompt("write /w/c.txt"), "end_turn");
  editor.outcome = { outcome: "cancelled" };
  assertEquals(await prompt("write /w/c.txt"), "cancelled");
  assertEquals([editor.files.has("/w/c.txt"), editor.permissions.length], [false, 3]);

  const waiting = prompt("wait");
  await context.notify(agent.session.cancel, { sessionId });
  assertEquals(await waiting, "cancelled");

  const aborted = new AbortController();
  const cancelled = assertRejects(
    () =>
      context.request(agent.session.prompt, {
        sessionId,
        prompt: [{ type: "text", text: "wait" }],
      }, { cancellationSignal: aborted.signal }),
    acp.RequestError,
  );
  aborted.abort();
  assertEquals((await cancelled).code, -32800);

  await context.request(agent.session.setMode, { sessionId, modeId: "auto" });
  assertEquals(await prompt("run"), "end_turn");
  assertEquals(await prompt("write /w/d.txt"), "end_turn");
  assertEquals([editor.files.get("/w/d.txt"), editor.permissions.length], ["new", 3]);

  const failed = await assertRejects(() => prompt("fail"), acp.RequestError, "Internal error");
  assertEquals(failed.code, -32603);

  await context.request(agent.session.close, { sessionId });
  editor.updates.length = 0;
  await context.request(agent.session.load, { sessionId, cwd: "/w", mcpServers: [] });
  checkReplay(editor.updates);
  await context.request(agent.session.close, { sessionId });
  await context.request(agent.session.resume, { sessionId, cwd: "/w" });
  assertEquals(await prompt("again"), "end_turn");

  for (
    const [work, code] of [
      [() => context.request(agent.session.new, { cwd: "w", mcpServers: [] }), -32602],
      [
        () => context.request(agent.session.load, { sessionId: "x", cwd: "/w", mcpServers: [] }),
        -32002,
      ],
      [() => context.request("session/unknown", {}), -32601],
    ] as const
  ) {
    assertEquals((await assertRejects(work, acp.RequestError)).code, code);
  }
}

/** Checks the first messages of a session that is loaded. */
function checkReplay(updates: readonly acp.SessionUpdate[]): void {
  const first = updates.slice(0, 7).map((update) => {
    switch (update.sessionUpdate) {
      case "user_message_chunk":
      case "agent_message_chunk":
      case "agent_thought_chunk":
        return [update.sessionUpdate, update.content.type === "text" && update.content.text];
      case "tool_call":
        return [update.sessionUpdate, update.title];
      case "tool_call_update":
        return [update.sessionUpdate, update.status];
    }
    return [update.sessionUpdate];
  });
  assertEquals(first, [
    ["user_message_chunk", "hello"],
    ["agent_thought_chunk", "Hm."],
    ["agent_message_chunk", "You: hello"],
    ["user_message_chunk", "read /w/a.txt"],
    ["agent_message_chunk", "Let me look."],
    ["tool_call", "read_text_file: /w/a.txt"],
    ["tool_call_update", "completed"],
  ]);
}

/** Returns the methods, kinds of updates and stop reasons of the agent's messages, in order. */
function orderOf(editor: Editor): unknown[] {
  return editor.messages.map(({ id, method, params, result }) => {
    const { update }: { update?: { sessionUpdate?: string } } = Object(params);
    const { stopReason }: { stopReason?: string } = Object(result);
    return update?.sessionUpdate ?? method ?? stopReason ?? `response ${id}`;
  });
}

/** Bundles the agent, and returns the command lines that start it. */
async function commandsFor(folder: string): Promise<Readonly<Record<string, readonly string[]>>> {
  const { program } = await bundleFor("deno", new URL("agent.ts", import.meta.url), folder);
  const { stdout } = await run("npx", ["--yes", "node@22", "-p", "process.execPath"]);
  return {
    "Deno": [Deno.execPath(), "run", "-A", "--quiet", program],
    "Node.js 22": [stdout.trim(), program],
  };
}

Deno.test("the schema rejects a message that lacks a member", () => {
  const update = { sessionUpdate: "tool_call", toolCallId: "c1" };
  const message = { jsonrpc: "2.0", method: "session/update", params: { sessionId: "s", update } };
  assert(violationsOf(message, new Map()).length > 0);
  const response = { jsonrpc: "2.0", id: 1, result: { stopReason: "done" } };
  assert(violationsOf(response, new Map([[1, "session/prompt"]])).length > 0);
});

Deno.test("the SDK's editor talks to an agent over standard streams on Deno and Node.js", async () => {
  await withTempDir(async (folder) => {
    for (const [name, command] of Object.entries(await commandsFor(folder))) {
      const editor = new Editor(command);
      const { code, errors } = await editor.use((context) => converse(editor, context));
      assertEquals([code, editor.violations], [0, []], name);
      // Logs and errors are on standard error, which an editor shows in its logs.
      assertStringIncludes(errors, "this line is not a message");
      assertStringIncludes(errors, "a secret");
      // All updates of a prompt precede its response.
      const order = orderOf(editor);
      assertEquals(order.slice(2, 5), ["agent_thought_chunk", "agent_message_chunk", "end_turn"]);
      // The request for the file may precede the update that announces it.
      assertEquals(order.filter((each) => each !== "fs/read_text_file").slice(5, 10), [
        "agent_message_chunk",
        "tool_call",
        "tool_call_update",
        "agent_message_chunk",
        "end_turn",
      ]);
      assert(order.includes("plan") && order.includes("terminal/create"));
      assert(editor.messages.length > 50);
    }
  });
});

Deno.test("an editor that disappears ends the agent on Deno and Node.js", async () => {
  await withTempDir(async (folder) => {
    for (const [name, [command = "", ...args]] of Object.entries(await commandsFor(folder))) {
      const child = new Deno.Command(command, {
        args: [...args],
        stdin: "piped",
        stdout: "piped",
        stderr: "null",
      }).spawn();
      const writer = child.stdin.getWriter();
      const reader = child.stdout.getReader();
      const post = async (id: number, method: string, params: object): Promise<string> => {
        const line = `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
        await writer.write(new TextEncoder().encode(line));
        return new TextDecoder().decode((await reader.read()).value);
      };
      await post(1, "initialize", { protocolVersion: 1, clientCapabilities: {} });
      const { result } = JSON.parse(await post(2, "session/new", { cwd: "/w", mcpServers: [] }));
      const { sessionId } = result;
      const prompt = [{ type: "text", text: "plan" }];
      await post(3, "session/prompt", { sessionId, prompt });
      // The process of an editor that is killed closes both pipes.
      await Promise.all([reader.cancel(), writer.close()]);
      const { code } = await child.status;
      assertEquals(code, 0, name);
    }
  });
});
