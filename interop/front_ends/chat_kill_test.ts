/** Tests chats whose servers are killed again and again while pages are reloaded. */

import type { Message } from "@ag-ui/core";
import { assert, assertEquals } from "@std/assert";
import { withTempDir } from "../../tools/cli.ts";
import { IS_FULL } from "../engines/full_size.ts";
import { AgentTab } from "./ag_ui_tab.ts";
import { type ChatServer, countCalls, startServer, Tab, until } from "./chat_tabs.ts";

const KILLS = IS_FULL ? 30 : 3;
const CHATS = 6;
const SEED = IS_FULL ? crypto.getRandomValues(new Uint32Array(1))[0] ?? 1 : 7;
const ANSWER = Array.from({ length: 40 }, (_, index) => `word${index + 1} `).join("");

/** What a page shows: each message of the user, and the texts of the answer to it. */
interface Shown {
  readonly turns: readonly (readonly [string, string])[];
  readonly ids: readonly string[];
}

/** A front end that the chats use. */
interface FrontEnd {
  /** Sends a message. Resolves when the response has ended or failed. */
  send(origin: string, id: string, text: string): Promise<void>;
  /** Opens a page, and waits until the run that is in progress has ended. */
  open(origin: string, id: string): Promise<Shown>;
}

const USE_CHAT: FrontEnd = {
  async send(origin, id, text) {
    await new Tab(origin, id).sendMessage({ text });
  },
  async open(origin, id) {
    const tab = await Tab.open(origin, id);
    await tab.resumed;
    return toShown(tab.messages.map(({ id, parts, role }) => {
      const texts = parts.map((part) => part.type === "text" ? part.text : "");
      return { id, role, text: texts.join("") };
    }));
  },
};

const AG_UI: FrontEnd = {
  async send(origin, id, text) {
    await new AgentTab(origin, id).send(text);
  },
  async open(origin, id) {
    const tab = AgentTab.open(origin, id);
    await tab.connected;
    if (tab.failure !== undefined) throw tab.failure;
    return toShown(tab.messages.map((message) => ({ ...message, text: textOf(message) })));
  },
};

function textOf({ content, role }: Message): string {
  return role === "tool" || typeof content !== "string" ? "" : content;
}

function toShown(
  messages: readonly { readonly id: string; readonly role: string; readonly text: string }[],
): Shown {
  const turns: [string, string][] = [];
  for (const { role, text } of messages) {
    const last = turns.at(-1);
    if (role === "user") turns.push([text, ""]);
    else if (last !== undefined) last[1] += text;
  }
  return { turns, ids: messages.map(({ id }) => id) };
}

/** Two servers that share a file. */
class Cluster {
  readonly #settings: Parameters<typeof startServer>[0];
  readonly #servers: ChatServer[] = [];
  #state = SEED;
  isStopping = false;

  constructor(folder: string) {
    const [file, calls] = [`${folder}/chats.db`, `${folder}/calls.txt`];
    this.#settings = { file, calls, leaseMs: 500, toolMs: 40 };
  }

  async start(): Promise<void> {
    const { file: _, ...settings } = this.#settings;
    await Deno.writeTextFile(settings.calls, "");
    for (let count = 0; count < 2; count++) this.#servers.push(await startServer(this.#settings));
  }

  /** Returns a pseudorandom integer from 0 to `limit - 1`. */
  random(limit: number): number {
    this.#state = Math.imul(this.#state, 1664525) + 1013904223 >>> 0;
    return Math.floor(this.#state / 2 ** 32 * limit);
  }

  get origin(): string {
    return this.#servers[this.random(2)]?.origin ?? "";
  }

  /** Kills a server, and starts another one. */
  async replace(): Promise<void> {
    const index = this.random(2);
    await this.#servers[index]?.kill();
    this.#servers[index] = await startServer(this.#settings);
  }

  async calls(): Promise<string> {
    return await Deno.readTextFile(this.#settings.calls);
  }

  /** Waits until the model and tools have been called several times. */
  async passes(calls: number): Promise<void> {
    const count = async (): Promise<number> => (await this.calls()).split("\n").length;
    const end = await count() + calls;
    await until("calls of the model", async () => await count() >= end);
  }

  async close(): Promise<void> {
    for (const server of this.#servers) await server.kill();
  }
}

/** Sends messages until the cluster stops. Returns what the last page shows. */
async function chat(cluster: Cluster, id: string, frontEnd: FrontEnd): Promise<Shown> {
  const expected: (readonly [string, string])[] = [];
  while (!cluster.isStopping) {
    const isTool = cluster.random(2) === 0;
    const text = `${isTool ? "look up" : "hello"} ${expected.length}`;
    await ignoreFailure(frontEnd.send(cluster.origin, id, text));
    expected.push([text, isTool ? `One moment. ${ANSWER}` : ANSWER]);
    await until(`the answer to "${text}" in ${id}`, async () => {
      const page = await ignoreFailure(frontEnd.open(cluster.origin, id));
      if (page === undefined) return false;
      if (page.turns.length === expected.length) return isComplete(page);
      // The server was killed before it had received the message.
      await ignoreFailure(frontEnd.send(cluster.origin, id, text));
      return false;
    });
  }
  const final = await frontEnd.open(cluster.origin, id);
  assertEquals(final.turns, expected, id);
  assertEquals(new Set(final.ids).size, final.ids.length, id);
  return final;
}

function isComplete({ turns }: Shown): boolean {
  return turns.at(-1)?.[1].endsWith(ANSWER) === true;
}

/** Returns `undefined` if a page cannot reach its server. */
async function ignoreFailure<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch {
    return undefined;
  }
}

Deno.test(`chats survive ${KILLS} killed servers`, async () => {
  // The client of AG-UI cancels the body of a lost response, and does not handle the rejection.
  const onRejection = (event: PromiseRejectionEvent): void => event.preventDefault();
  addEventListener("unhandledrejection", onRejection);
  await withTempDir(async (folder) => {
    const cluster = new Cluster(folder);
    await cluster.start();
    try {
      const chats = Array.from(
        { length: CHATS },
        (_, index) => chat(cluster, `chat ${index}`, index % 3 === 2 ? AG_UI : USE_CHAT),
      );
      const all = Promise.all(chats);
      all.catch(() => {});
      for (let kills = 0; kills < KILLS; kills++) {
        await cluster.passes(1 + cluster.random(8));
        await cluster.replace();
      }
      cluster.isStopping = true;
      const turns = (await all).reduce((sum, shown) => sum + shown.turns.length, 0);
      const calls = await cluster.calls();
      const tools = calls.split("\n").filter((line) => line.startsWith("look "));
      console.log(
        `chats with seed ${SEED}: ${KILLS} kills, ${turns} answers, ` +
          `${countCalls(calls, "model")} model calls, ${tools.length} tool calls`,
      );
      assert(turns >= CHATS);
      // The outcome of a tool call that was killed is unknown, so the call is not repeated either.
      assertEquals(tools.length, new Set(tools).size);
    } finally {
      cluster.isStopping = true;
      await cluster.close();
    }
  });
  removeEventListener("unhandledrejection", onRejection);
});
