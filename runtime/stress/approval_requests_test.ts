import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  APPROVALS,
  approveConcurrently,
  ChatProcess,
  requestPayment,
} from "./testdata/chat_client.ts";

const PROGRAM = new URL("testdata/chat_program.ts", import.meta.url).pathname;

/** Number of approvals that each test repeats; the nightly tests use a larger number. */
const THREADS = Math.min(4 * Number(Deno.env.get("PARLEY_PROPERTY_FACTOR") ?? 1), 40);

/** Calls a test with a folder that does not exist yet, and removes the folder afterwards. */
async function withFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = `${Deno.env.get("TMPDIR") ?? "/tmp"}/parley-approvals-${crypto.randomUUID()}`;
  try {
    await test(folder);
  } finally {
    await new Deno.Command("deno", {
      args: ["run", "--quiet", "--no-check", "-A", PROGRAM, "remove", folder],
    }).output();
  }
}

/** Returns the thread of each execution of the tool. */
async function readExecuted(folder: string): Promise<readonly string[]> {
  const text = await Deno.readTextFile(`${folder}/executed`);
  return text.split("\n").slice(0, -1).sort();
}

/**
 * Sends the same approval concurrently for each thread, and once more after the run has ended.
 * Every second tool ends only when all requests are in progress. Returns the responses to the
 * concurrent requests of these threads.
 */
async function approveThreads(
  folder: string,
  servers: readonly ChatProcess[],
): Promise<readonly string[]> {
  const responses: string[] = [];
  const threads: string[] = [];
  for (let index = 0; index < THREADS; index++) {
    const threadId = `t${String(index).padStart(2, "0")}`;
    threads.push(threadId);
    const starting = servers[index % servers.length];
    assert(starting);
    const approval = await requestPayment(starting, threadId);
    const isHeld = index % 2 === 0;
    const texts = await approveConcurrently(servers, { threadId, approval, isHeld });
    if (isHeld) responses.push(...texts.flat());
    for (const server of servers) {
      const late = await server.post(threadId, approval);
      assert(late.includes('"type":"error"'), late);
    }
  }
  assertEquals(await readExecuted(folder), threads);
  assertEquals(responses.length, THREADS / 2 * APPROVALS);
  return responses;
}

for (const journal of ["memory", "jsonl"]) {
  Deno.test(`one process executes a tool once for ${APPROVALS} concurrent requests with the same approval, with a journal in ${journal}`, async () => {
    await withFolder(async (folder) => {
      await using server = await ChatProcess.start(PROGRAM, journal, folder);
      for (const text of await approveThreads(folder, [server])) {
        assert(text.includes('"output":"paid"') && !text.includes('"type":"error"'), text);
      }
      // Requests that arrive after the run has ended are rejected.
      for (const error of await server.errors()) {
        assertStringIncludes(error, "the run does not wait for a decision, because it has ended");
      }
    });
  });
}

Deno.test(`two processes execute a tool once for ${APPROVALS} concurrent requests with the same approval, with a journal in sqlite`, async () => {
  await withFolder(async (folder) => {
    await using first = await ChatProcess.start(PROGRAM, "sqlite", folder);
    await using second = await ChatProcess.start(PROGRAM, "sqlite", folder);
    await approveThreads(folder, [first, second]);
  });
});

Deno.test("of two processes on one JSONL journal, the one that opened it first is rejected at its first append", async () => {
  const taken = "AgentError: Cannot record a step: another process has opened the journal; " +
    "use one journal per process";
  // A request whose session is loaded after the run has ended does not append anything.
  const ended =
    'AgentError: Cannot apply the decisions in session "t": the run does not wait for ' +
    "a decision, because it has ended, was abandoned or is not in the journal";
  await withFolder(async (folder) => {
    await using first = await ChatProcess.start(PROGRAM, "jsonl", folder);
    const approval = await requestPayment(first, "t");
    await using second = await ChatProcess.start(PROGRAM, "jsonl", folder);
    const options = { threadId: "t", approval, isHeld: true };
    const [rejected = [], paid = []] = await approveConcurrently([first, second], options);
    for (const text of rejected) assert(text.includes('"type":"error"'), text);
    for (const text of paid) assert(text.includes('"output":"paid"'), text);
    const errors = await first.errors();
    assertEquals(errors.length, APPROVALS / 2);
    assert(errors.includes(taken), errors.join("\n"));
    for (const error of errors) if (error !== ended) assertEquals(error, taken);
    assertEquals(await second.errors(), []);
    assertEquals(await readExecuted(folder), ["t"]);
  });
});
