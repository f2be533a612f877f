import { assertEquals, assertRejects } from "@std/assert";
import { AgentError } from "../shared/error.ts";
import { Connection } from "./connection.ts";
import { Editor } from "./editor.ts";

function openEditor(capabilities: Partial<Editor["capabilities"]>, answer: object): Editor {
  const handler = { handle: () => Promise.resolve({}), notify: () => {} };
  const connection: Connection = new Connection((text) => {
    const { id } = JSON.parse(text);
    // The response follows after the request was written.
    queueMicrotask(() =>
      connection.receive(JSON.stringify({ jsonrpc: "2.0", id, ...answer }), handler)
    );
    return undefined;
  }, { maxRequests: 10, unreadTimeoutMs: 1000, report: () => {} });
  return new Editor({
    sessionId: "s",
    cwd: "/w",
    capabilities: { readTextFile: false, writeTextFile: false, terminal: false, ...capabilities },
    connection,
    timeoutMs: 1000,
    ask: () => Promise.resolve(false),
  });
}

Deno.test("Editor rejects an operation that the editor does not support", async () => {
  const editor = openEditor({}, { result: {} });
  for (
    const [work, operation] of [
      [() => editor.readTextFile("/w/a"), "read files"],
      [() => editor.writeTextFile("/w/a", ""), "write files"],
      [() => editor.runCommand("ls", []), "run commands"],
    ] as const
  ) {
    const text = `Cannot ${operation}: the editor does not support it`;
    const error = await assertRejects(work, AgentError, text);
    assertEquals(error.code, "core");
  }
});

Deno.test("Editor rejects a response without the content or the terminal", async () => {
  const editor = openEditor({ readTextFile: true, terminal: true }, { result: {} });
  await assertRejects(
    () => editor.readTextFile("/w/a"),
    AgentError,
    'Cannot complete the request "fs/read_text_file": the response has no "content"',
  );
  await assertRejects(
    () => editor.runCommand("ls", []),
    AgentError,
    'Cannot complete the request "terminal/create": the response has no "terminalId"',
  );
});
