/**
 * Tests for `fileStore()` that write files. The program runs the test named by its argument, in a
 * new folder. Tests have no permission to write files, so `file_test.ts` starts this program for
 * each test.
 *
 * @module
 */

import { assertEquals, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { ToolLoopAgent } from "../mod.ts";
import { fileStore } from "../file.ts";
import { JsonlJournal, recordSteps, type StepRunner } from "../journal.ts";
import { AgentSession, jsonlSessions } from "../session.ts";
import { AgentError } from "../shared/error.ts";
import { scriptedModel } from "../testing.ts";

/** Appends lines in a process of its own, without a test. */
const APPEND = "append lines";
const LINES_PER_PROCESS = 50;

const ENTRY = { v: 1, key: "r/start", kind: "run", value: "é€😀" } as const;

/** Starts this program, which appends lines to the file. */
async function appendInChild(path: string, name: string): Promise<void> {
  const args = ["run", "--quiet", "--no-check", "-A", import.meta.filename ?? "", APPEND];
  const { success } = await new Deno.Command("deno", { args: [...args, path, name] }).output();
  assertEquals(success, true);
}

function createAgent(...texts: readonly string[]): ToolLoopAgent {
  return new ToolLoopAgent({
    name: "a",
    model: scriptedModel(texts.map((text) => ({ text }))),
  });
}

/** Runs an agent whose journal fails between the response of the model and the tool call. */
async function assertPaysNothing(
  reason: string,
  { stepRunner, onResponse }: { readonly stepRunner: StepRunner; readonly onResponse: () => void },
): Promise<void> {
  let payments = 0;
  const agent = new ToolLoopAgent({
    name: "a",
    model: scriptedModel([{ calls: [{ toolName: "pay" }] }, { text: "done" }]),
    tools: [{ name: "pay", inputSchema: { type: "object" }, execute: () => ++payments }],
    onEvent: ({ type }) => {
      if (type === "model_finished") onResponse();
    },
  });
  await assertRejects(() => agent.run("Pay", { stepRunner }), AgentError, reason);
  assertEquals(payments, 0);
}

const TESTS: Readonly<Record<string, (folder: string) => Promise<void>>> = {
  "reads what it has appended, in characters of every length": async (folder) => {
    const path = `${folder}/a.jsonl`;
    const text = '\uFEFF{"a":"é€😀"}\n\r\n\u2028\n';
    await fileStore(path).append(text);
    assertEquals(await fileStore(path).read(), text);
    await fileStore(path).append("end");
    assertEquals(await fileStore(path).read(), `${text}end`);
    assertEquals(new TextDecoder().decode(await Deno.readFile(path)), `${text}end`.slice(1));
  },

  "creates missing folders and files that only the current user can access": async (folder) => {
    if (Deno.build.os === "windows") return;
    await fileStore(`${folder}/b/c/a.jsonl`).append("1\n");
    const modes = ["b", "b/c", "b/c/a.jsonl"].map((name) =>
      Deno.statSync(`${folder}/${name}`).mode
    );
    assertEquals(modes.map((mode) => (mode ?? 0) & 0o777), [0o700, 0o700, 0o600]);
  },

  "does not change the permissions of an existing file": async (folder) => {
    if (Deno.build.os === "windows") return;
    const path = `${folder}/a.jsonl`;
    await Deno.writeTextFile(path, "1\n");
    await Deno.chmod(path, 0o640);
    await fileStore(path).append("2\n");
    assertEquals((Deno.statSync(path).mode ?? 0) & 0o777, 0o640);
    assertEquals(await fileStore(path).read(), "1\n2\n");
  },

  "appends up to maxBytes bytes, and rejects a longer text without writing it": async (folder) => {
    const path = `${folder}/a.jsonl`;
    const store = fileStore(path, { maxBytes: 6 });
    await store.append("€12\n");
    await assertRejects(() => store.append("3"), AgentError, "7 bytes exceeds 6 bytes");
    assertEquals(await store.read(), "€12\n");
  },

  "rejects a folder instead of a file": async (folder) => {
    await assertRejects(() => fileStore(folder).append("1\n"), AgentError, "Cannot append to");
    await assertRejects(() => fileStore(folder).read(), AgentError, "Cannot read");
  },

  "rejects a name that is too long": async (folder) => {
    const store = fileStore(`${folder}/${"a".repeat(300)}.jsonl`);
    await assertRejects(() => store.append("1\n"), AgentError, "ENAMETOOLONG");
  },

  "rejects bytes that are not UTF-8, except for a character truncated at the end of a line": async (
    folder,
  ) => {
    const path = `${folder}/a.jsonl`;
    const prefix = new TextEncoder().encode("a€\nb");
    const cases: readonly [readonly number[], string | undefined][] = [
      [[0xe2, 0x82], "a€\nb"],
      [[0xe2, 0x82, 0x0a, 0x63], "a€\nb\nc"],
      [[0xe2, 0x82, 0x63], undefined],
      [[0xff], undefined],
      [[0x80], undefined],
      [[0xc0, 0xaf], undefined],
    ];
    for (const [bytes, expected] of cases) {
      await Deno.writeFile(path, new Uint8Array([...prefix, ...bytes]));
      if (expected !== undefined) assertEquals(await fileStore(path).read(), expected);
      else await assertRejects(() => fileStore(path).read(), AgentError, "Cannot read");
    }
  },

  "reads the bytes after a position": async (folder) => {
    const path = `${folder}/a.jsonl`;
    await using store = fileStore(path);
    assertEquals(await store.readBytes(0), new Uint8Array());
    await store.append("a€\nb\n");
    for (
      const [start, text] of [[0, "a€\nb\n"], [4, "\nb\n"], [6, "\n"], [7, ""], [9, ""]] as const
    ) {
      for (const each of [store, fileStore(path)]) {
        assertEquals(new TextDecoder().decode(await each.readBytes(start)), text);
      }
    }
  },

  "closes the file one second after the last call, and opens it again": async (folder) => {
    const path = `${folder}/a.jsonl`;
    using time = new FakeTime();
    const store = fileStore(path);
    await store.append("1\n");
    time.tick(999);
    await store.readBytes(0);
    time.tick(999);
    assertEquals(isOpen(path), Deno.build.os === "linux");
    time.tick(1);
    // Calls are executed one after another, so this call ends after the file has been closed.
    await store.read();
    assertEquals(isOpen(path), false);
    await store.append("2\n");
    await store.close();
    await store.close();
    assertEquals([isOpen(path), await store.read()], [false, "1\n2\n"]);
  },

  "uses the file at the path after the open file was moved, deleted or replaced": async (
    folder,
  ) => {
    const path = `${folder}/a.jsonl`;
    await using store = fileStore(path);
    await store.append("1\n");
    await Deno.rename(path, `${folder}/moved`);
    assertEquals([await store.read(), await store.readBytes(0)], ["", new Uint8Array()]);
    await store.append("2\n");
    await Deno.writeTextFile(`${folder}/other`, "3\n");
    await Deno.rename(`${folder}/other`, path);
    assertEquals(await store.read(), "3\n");
    await store.append("4\n");
    await Deno.remove(path);
    await store.append("5\n");
    assertEquals(await Deno.readTextFile(path), "5\n");
    assertEquals(await Deno.readTextFile(`${folder}/moved`), "1\n");
  },

  "stops a journal whose file was changed, truncated or replaced": async (folder) => {
    const path = `${folder}/a.jsonl`;
    const last = `${JSON.stringify({ ...ENTRY, key: "r/2", n: 2 })}\n`;
    const changes: readonly (() => Promise<void>)[] = [
      () => Deno.writeTextFile(path, "x", { append: true }),
      () => Deno.writeTextFile(path, last, { append: true }),
      async () => Deno.truncate(path, (await Deno.stat(path)).size - 1),
      () => Deno.truncate(path, 0),
      () => Deno.remove(path),
      async () => {
        const text = await Deno.readTextFile(path);
        await Deno.writeTextFile(`${path}.new`, text.replace("r/1", "r/x"));
        await Deno.rename(`${path}.new`, path);
      },
    ];
    for (const change of changes) {
      await Deno.remove(path).catch(() => {});
      await using journal = await JsonlJournal.open(fileStore(path));
      await journal.append({ ...ENTRY, key: "r/0" });
      await journal.append({ ...ENTRY, key: "r/1" });
      await change();
      const append = () => journal.append({ ...ENTRY, key: "r/3" });
      await assertRejects(append, AgentError, "another process has opened");
    }
  },

  "closes the file of a journal": async (folder) => {
    const path = `${folder}/a.jsonl`;
    const journal = await JsonlJournal.open(fileStore(path));
    const recorded = journal.append(ENTRY);
    await journal.close();
    await journal.close();
    await recorded;
    assertEquals([isOpen(path), journal.get(ENTRY.key)], [false, ENTRY]);
    await assertRejects(() => journal.append({ ...ENTRY, key: "r/2" }), AgentError, "is closed");
  },

  "keeps a journal over a restart": async (folder) => {
    const store = fileStore(`${folder}/a.jsonl`);
    const options = async () => ({
      runId: "r",
      stepRunner: recordSteps(await JsonlJournal.open(store)),
    });
    assertEquals((await createAgent("Once").run("Hi", await options())).finalText, "Once");
    assertEquals((await createAgent().run("Hi", await options())).finalText, "Once");
  },

  "keeps a journal whose last line a crash has truncated, at every byte": async (folder) => {
    const path = `${folder}/a.jsonl`;
    const store = fileStore(path);
    const length = new TextEncoder().encode(JSON.stringify(ENTRY)).length;
    for (let cut = 1; cut <= length; cut++) {
      await Deno.remove(path).catch(() => {});
      const journal = await JsonlJournal.open(store);
      await journal.append({ ...ENTRY, key: "r/first" });
      const { size } = await Deno.stat(path);
      await journal.append(ENTRY);
      await Deno.truncate(path, size + cut);
      const reopened = await JsonlJournal.open(store);
      assertEquals([reopened.size, reopened.get("r/first")?.value], [1, ENTRY.value]);
      await reopened.append(ENTRY);
      assertEquals((await JsonlJournal.open(store)).get(ENTRY.key), ENTRY);
    }
  },

  "gives the file to the second of two journals": async (folder) => {
    const store = fileStore(`${folder}/a.jsonl`);
    const first = await JsonlJournal.open(store);
    await first.append({ ...ENTRY, key: "r/1" });
    const second = await JsonlJournal.open(fileStore(`${folder}/a.jsonl`));
    await assertRejects(() => first.append(ENTRY), AgentError, "another process has opened");
    await second.append({ ...ENTRY, key: "r/2" });
    assertEquals((await JsonlJournal.open(store)).size, 2);
  },

  "keeps sessions over a restart, one file per session, for every id": async (folder) => {
    const files = `${folder}/sessions`;
    const store = () =>
      jsonlSessions((id) => fileStore(`${files}/${encodeURIComponent(id)}.jsonl`));
    const ids = [".", "..", "../../etc/passwd", "a/b", "a b%", "\0", "é😀", "a".repeat(200)];
    for (const id of ids) {
      await new AgentSession(createAgent("Hello"), { id, store: store() }).run(`I am ${id}`);
    }
    for (const id of ids) {
      const [message] = await new AgentSession(createAgent(), { id, store: store() }).messages();
      assertEquals(message?.content, [{ type: "text", text: `I am ${id}` }]);
    }
    assertEquals([...Deno.readDirSync(folder)].map(({ name }) => name), ["sessions"]);
    assertEquals([...Deno.readDirSync(files)].length, ids.length);
  },

  "executes no tool whose start cannot be recorded": async (folder) => {
    const path = `${folder}/a.jsonl`;
    const failures: readonly (readonly [string, () => void])[] = [
      ["EISDIR", () => {
        Deno.removeSync(path);
        Deno.mkdirSync(path);
      }],
      ["another process", () => Deno.writeTextFileSync(path, "damaged\n")],
      ["another process", () => Deno.truncateSync(path, 10)],
      ["another process", () => Deno.removeSync(path)],
    ];
    for (const [reason, fail] of failures) {
      await Deno.remove(path, { recursive: true }).catch(() => {});
      const stepRunner = recordSteps(await JsonlJournal.open(fileStore(path)));
      await assertPaysNothing(reason, { stepRunner, onResponse: fail });
    }
  },

  "executes no tool if the disk is full": async (folder) => {
    if (Deno.build.os !== "linux") return;
    const path = `${folder}/a.jsonl`;
    Deno.symlinkSync("/dev/full", `${folder}/full`);
    let isFull = false;
    const journal = await JsonlJournal.open({
      read: () => fileStore(path).read(),
      append: (text) => fileStore(isFull ? `${folder}/full` : path).append(text),
    });
    const onResponse = (): void => void (isFull = true);
    await assertPaysNothing("No space left", { stepRunner: recordSteps(journal), onResponse });
  },

  "calls no model in a session whose file cannot be read": async (folder) => {
    const path = `${folder}/a.jsonl`;
    const store = jsonlSessions(() => fileStore(path));
    const failures = [
      () => Deno.writeTextFileSync(path, "damaged\n"),
      () => Deno.writeFileSync(path, new Uint8Array([0xff])),
      () => {
        Deno.removeSync(path);
        Deno.mkdirSync(path);
      },
    ];
    for (const fail of failures) {
      fail();
      const model = scriptedModel([{ text: "Hello" }]);
      const session = new AgentSession(new ToolLoopAgent({ name: "a", model }), { id: "s", store });
      await assertRejects(() => session.run("Hi"), AgentError);
      assertEquals(model.requests, []);
    }
  },

  "loses no line when two processes append to one file": async (folder) => {
    const path = `${folder}/a.jsonl`;
    await Promise.all(["a", "b"].map((name) => appendInChild(path, name)));
    const lines = (await fileStore(path).read()).split("\n").slice(0, -1);
    const expected = ["a", "b"].flatMap((name) =>
      Array.from({ length: LINES_PER_PROCESS }, (_, index) => lineOf(name, index))
    );
    assertEquals(lines.sort(), expected.sort());
  },
};

/** Names of the tests. */
export const FILE_TESTS: readonly string[] = Object.keys(TESTS);

/** Returns true if this process has a file open. The files are listed on Linux only. */
function isOpen(path: string): boolean {
  if (Deno.build.os !== "linux") return false;
  return [...Deno.readDirSync("/proc/self/fd")].some(({ name }) => {
    try {
      return Deno.readLinkSync(`/proc/self/fd/${name}`) === path;
    } catch {
      return false; // The list itself was open while it was read.
    }
  });
}

function lineOf(name: string, index: number): string {
  return `${name}${index} ${name.repeat(10_000)}`;
}

async function appendLines(path: string, name: string): Promise<void> {
  const store = fileStore(path);
  for (let index = 0; index < LINES_PER_PROCESS; index++) {
    await store.append(`${lineOf(name, index)}\n`);
  }
}

if (import.meta.main) {
  const [command = "", path = "", name = ""] = Deno.args;
  if (command === APPEND) {
    await appendLines(path, name);
  } else {
    const folder = await Deno.makeTempDir({ prefix: "parley-file-" });
    try {
      await TESTS[command]?.(folder);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  }
}
