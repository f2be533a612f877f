import { splitLines } from "@parley/internal/split-lines";
import { assertEquals, assertRejects } from "@std/assert";
import { memoryStorage } from "../session/memory_storage.ts";
import { serveAcp } from "./serve_acp.ts";
import { CALLS_NOTE, slowTool } from "./testdata/agents.ts";
import { openEditor } from "./testdata/test_editor.ts";

Deno.test("the end of the input stops the runs and stores their messages", async () => {
  const { gate, tool } = slowTool();
  const storage = memoryStorage();
  const disposed = Promise.withResolvers<void>();
  const dispose = storage[Symbol.asyncDispose].bind(storage);
  let stored = 0;
  storage[Symbol.asyncDispose] = async () => {
    stored = (await storage.records.load(`acp/${sessionId}`)).length;
    await dispose();
    disposed.resolve();
  };
  const editor = openEditor({
    storage,
    script: CALLS_NOTE,
    agent: () => ({ tools: [tool], graceMs: 0 }),
  });
  const sessionId = await editor.open();
  const prompt = editor.prompt(sessionId, "Hi");
  await gate.reached;
  await editor.end();
  await disposed.promise;
  assertEquals(stored, 1);
  assertEquals(await prompt, { code: -32800, message: "Request cancelled" });
});

Deno.test("the signal stops serving", async () => {
  const controller = new AbortController();
  const { gate, tool } = slowTool();
  const editor = openEditor({
    signal: controller.signal,
    script: CALLS_NOTE,
    agent: () => ({ tools: [tool], graceMs: 0 }),
  });
  const sessionId = await editor.open();
  const prompt = editor.prompt(sessionId, "Hi");
  await gate.reached;
  controller.abort();
  assertEquals((await prompt).code, -32800);
  await editor.served;
});

Deno.test("a closed output stops serving, and is reported", async () => {
  const input = new TransformStream<Uint8Array, Uint8Array>();
  const output = new TransformStream<Uint8Array, Uint8Array>();
  const errors: unknown[] = [];
  const served = serveAcp({ readable: input.readable, writable: output.writable }, {
    name: "clerk",
    version: "1.0.0",
    storage: memoryStorage(),
    make: () => Promise.reject(new Error("is not called")),
    onError: (error) => errors.push(error),
  });
  await output.readable.cancel(new Error("gone"));
  const writer = input.writable.getWriter();
  writer.closed.catch(() => {});
  await writer.write(new TextEncoder().encode("{}\n")).catch(() => {});
  await served;
  assertEquals(errors.map(String), [
    "AgentError: Cannot write to the editor: the output is closed",
  ]);
});

Deno.test("serveAcp() checks its options", async () => {
  const options = {
    name: "clerk",
    version: "1.0.0",
    storage: memoryStorage(),
    make: () => Promise.reject(new Error("is not called")),
  };
  const invalid: readonly (readonly [object, string])[] = [
    [{ name: "" }, '"name" must be a non-empty string'],
    [{ store: {} }, '"options" must have only known options, got "store"'],
    [{ modes: [{ id: "a" }] }, '"modes[0].name" must be a non-empty string'],
    [
      { modes: [{ id: "a", name: "A" }, { id: "a", name: "B" }] },
      '"modes" must be modes with different ids',
    ],
    [{ storage: {} }, '"storage" must be a SessionStorage'],
  ];
  for (const [more, text] of invalid) {
    const streams = new TransformStream<Uint8Array, Uint8Array>();
    await assertRejects(() => serveAcp(streams, { ...options, ...more }), TypeError, text);
  }
  const streams = new TransformStream<Uint8Array, Uint8Array>();
  await assertRejects(() => serveAcp(streams, { ...options, maxSessions: 0 }), RangeError);
});

/** Runs an agent in a process, and sends one prompt. Returns the output. */
async function runProcess(...args: readonly string[]) {
  const program = new URL("testdata/stdio_agent.ts", import.meta.url).pathname;
  const child = new Deno.Command("deno", {
    args: ["run", "-A", "--quiet", program, ...args],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
    env: { NO_COLOR: "1" },
  }).spawn();
  const writer = child.stdin.getWriter();
  const post = (id: number, method: string, params: object): Promise<void> =>
    writer.write(
      new TextEncoder().encode(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`),
    );
  const errors = new Response(child.stderr).text();
  await post(1, "initialize", { protocolVersion: 1 });
  await post(2, "session/new", { cwd: "/w" });
  const lines: string[] = [];
  await splitLines(async (take) => {
    for await (const chunk of child.stdout) await take(chunk);
  })((line) => {
    lines.push(String(line));
    if (lines.length === 2) {
      const { sessionId } = JSON.parse(String(line)).result;
      const prompt = [{ type: "text", text: "Hi" }];
      return post(3, "session/prompt", { sessionId, prompt }).then(() => true);
    }
    if (lines.length === 4) return writer.close().then(() => true);
    return undefined;
  });
  return { code: (await child.status).code, errors: await errors, lines };
}

Deno.test("serveAcpStdio() prints only messages, and exits when the input ends", async () => {
  const { code, errors, lines } = await runProcess();
  assertEquals([code, errors, lines.length], [0, "making\n", 4]);
  assertEquals(JSON.parse(lines.at(-1) ?? ""), {
    jsonrpc: "2.0",
    id: 3,
    result: { stopReason: "end_turn" },
  });
});

Deno.test("serveAcpStdio() restores the console and does not exit if exit is false", async () => {
  const { code, errors, lines } = await runProcess("stay");
  assertEquals([code, errors, lines.length, lines[4]], [0, "making\n", 5, "after"]);
});
