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
