/**
 * A process that talks in a session whose records and steps are stored in files, for tests that
 * kill it. The commands are:
 *
 * - `talk FOLDER COUNT KILL_AT`: continues the conversation until it has COUNT turns. The agent
 *   makes one payment in each turn.
 * - `write FOLDER NAME COUNT KILL_AT`: adds COUNT turns with the messages `NAME.0`, `NAME.1` and so
 *   on, without a journal.
 * - `read FOLDER`: prints the messages of the session as JSON.
 * - `remove FOLDER`: removes the folder.
 *
 * The process kills itself when it appends text for the KILL_AT-th time: before the append, after
 * the append or, for `talk`, after half of the text. Several writers need appends that are atomic.
 * If KILL_AT is 0, the process does not kill itself. The `log` file in the folder contains a line
 * for each payment and for each added turn.
 *
 * @module
 */

import { appendFileSync, mkdirSync, rmSync } from "node:fs";
import process from "node:process";
import { fileStore } from "../../file.ts";
import { type JournalStore, JsonlJournal, recordSteps } from "../../journal.ts";
import { type LanguageModel, ToolLoopAgent } from "../../mod.ts";
import { AgentSession, jsonlSessions } from "../../session.ts";

const [command = "", folder = "", ...rest] = process.argv.slice(2);

function log(line: string): void {
  appendFileSync(`${folder}/log`, `${line}\n`);
}

/** Requests a payment for each user message, and responds when it is made. */
const model: LanguageModel = {
  modelId: "payer",
  generate({ messages }) {
    const isPaid = messages.at(-1)?.role === "tool";
    return Promise.resolve({
      message: {
        role: "assistant",
        content: isPaid
          ? [{ type: "text", text: "done" }]
          : [{ type: "tool-call", toolCallId: "c", toolName: "pay", input: {} }],
      },
      finishReason: isPaid ? "stop" : "tool-calls",
    });
  },
};

/**
 * Kills the process at the given append, when one of the given shares of the text is appended. All
 * stores of the process share one count.
 */
function killedAt(
  killAt: number,
  shares: readonly number[],
): (store: JournalStore) => JournalStore {
  let appends = 0;
  const share = shares[killAt % shares.length] ?? 0;
  return (store) => ({
    read: () => store.read(),
    async append(text) {
      const isLast = ++appends === killAt;
      const length = Math.floor(text.length * share);
      if (isLast && length > 0) await store.append(text.slice(0, length));
      if (isLast) process.kill(process.pid, "SIGKILL");
      await store.append(text);
    },
  });
}

async function talk(count: number, killAt: number): Promise<void> {
  const killed = killedAt(killAt, [0, 0.5, 1]);
  const agent = new ToolLoopAgent({
    name: "clerk",
    model,
    tools: [{
      name: "pay",
      inputSchema: { type: "object" },
      execute(_input: unknown, { idempotencyKey }) {
        log(`pay ${idempotencyKey}`);
        return "paid";
      },
    }],
    approvalHandler: () => true,
  });
  await agent.initialize();
  const store = jsonlSessions(() => killed(fileStore(`${folder}/session.jsonl`)));
  const journal = await JsonlJournal.open(killed(fileStore(`${folder}/journal.jsonl`)));
  const session = new AgentSession(agent, { id: "s", store, stepRunner: recordSteps(journal) });
  for (;;) {
    const turns = (await session.messages()).filter(({ role }) => role === "user").length;
    if (await session.hasUnfinishedRun()) await session.run();
    else if (turns < count) await session.run(`turn ${turns}`);
    else return;
  }
}

async function write(name: string, count: number, killAt: number): Promise<void> {
  const killed = killedAt(killAt, [0, 1]);
  const agent = new ToolLoopAgent({
    name: "writer",
    model: {
      modelId: "echo",
      generate: () =>
        Promise.resolve({
          message: { role: "assistant", content: [{ type: "text", text: "ok" }] },
          finishReason: "stop",
        }),
    },
  });
  await agent.initialize();
  const store = jsonlSessions(() => killed(fileStore(`${folder}/session.jsonl`)));
  const session = new AgentSession(agent, { id: "s", store });
  // A turn that conflicts with the other writer is not appended, so a process that is to be killed
  // continues until it is.
  for (let index = 0; killAt > 0 || index < count; index++) {
    const outcome = await session.run(`${name}.${index}`).then(() => "stored", ({ code }) => code);
    log(`${outcome} ${name}.${index}`);
  }
}

async function read(): Promise<void> {
  const store = jsonlSessions(() => fileStore(`${folder}/session.jsonl`));
  const session = new AgentSession(new ToolLoopAgent({ name: "reader", model }), {
    id: "s",
    store,
  });
  process.stdout.write(JSON.stringify(await session.messages()));
}

mkdirSync(folder, { recursive: true });
if (command === "talk") await talk(Number(rest[0]), Number(rest[1]));
else if (command === "write") await write(rest[0] ?? "", Number(rest[1]), Number(rest[2]));
else if (command === "read") await read();
else rmSync(folder, { recursive: true, force: true });
