/**
 * Browser tabs without a browser, and chat servers that tests start as processes.
 *
 * @module
 */

import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } from "ai";
import { within } from "../check.ts";
import { MemoryChat } from "./chat.ts";
import type { ChatServerSettings } from "./chat_server.ts";

/** A page with a chat, as in one tab of a browser. */
export class Tab extends MemoryChat {
  /** Resolves when the page has received the run that it asked for after it was loaded. */
  resumed: Promise<void> = Promise.resolve();
  readonly #api: string;

  constructor(origin: string, id: string) {
    const api = `${origin}/chat`;
    super({
      id,
      transport: new DefaultChatTransport({ api }),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    });
    this.#api = api;
  }

  /** Opens a page: loads the stored messages, and then asks for the run in progress. */
  static async open(origin: string, id: string): Promise<Tab> {
    const tab = new Tab(origin, id);
    const { messages } = await tab.load();
    tab.messages = messages;
    tab.resumed = tab.resumeStream();
    return tab;
  }

  /** Text of the newest message. */
  get text(): string {
    const parts = this.messages.at(-1)?.parts ?? [];
    return parts.map((part) => part.type === "text" ? part.text : "").join("");
  }

  /** Types and states of all parts, for example `user[text] assistant[step-start text:done]`. */
  get shape(): string {
    return this.messages.map(({ parts, role }) => {
      const types = parts.map((part) =>
        "state" in part && part.state !== undefined ? `${part.type}:${part.state}` : part.type
      );
      return `${role}[${types.join(" ")}]`;
    }).join(" ");
  }

  /** Requests the stored conversation. */
  async load(): Promise<{ readonly status: string; readonly messages: Tab["messages"] }> {
    const response = await fetch(`${this.#api}/${this.id}`);
    if (!response.ok) throw new Error(`GET ${this.id}: ${response.status}`);
    return await response.json();
  }

  /** Requests that the run is stopped. */
  async stopRun(): Promise<unknown> {
    const response = await fetch(`${this.#api}/${this.id}/stop`, { method: "POST" });
    return await response.json();
  }

  /** Waits until the text of the newest message contains a text. */
  async shows(text: string): Promise<void> {
    await until(`the text "${text}"`, () => this.text.includes(text));
  }
}

/** A chat server in its own process. */
export interface ChatServer extends AsyncDisposable {
  readonly origin: string;
  /** Ends the process as a power failure would. */
  kill(): Promise<void>;
}

/** Starts a chat server. */
export async function startServer(settings: ChatServerSettings): Promise<ChatServer> {
  const program = new URL("chat_server.ts", import.meta.url);
  const config = new URL("../deno.json", import.meta.url);
  const process = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--quiet",
      "--no-check",
      `--config=${config.pathname}`,
      program.pathname,
      JSON.stringify(settings),
    ],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = process.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const { port } = await within(20_000, "the start of the server", readLine(reader));
  const kill = async (): Promise<void> => {
    try {
      process.kill("SIGKILL");
    } catch {
      // The process has ended.
    }
    await process.status;
    await reader.cancel();
  };
  return { origin: `http://127.0.0.1:${port}`, kill, [Symbol.asyncDispose]: kill };
}

/** Reads a line with JSON. */
async function readLine(
  reader: ReadableStreamDefaultReader<string>,
): Promise<{ readonly port: number }> {
  let text = "";
  while (!text.includes("\n")) {
    const { done, value } = await reader.read();
    if (done) throw new Error("The server has ended");
    text += value;
  }
  return JSON.parse(text);
}

/** Returns how often the model or a tool was called, from the file that chat servers write. */
export function countCalls(calls: string, name: string): number {
  return calls.split("\n").filter((line) => line.split(" ")[0] === name).length;
}

/** Waits until a condition is met. */
export async function until(what: string, test: () => unknown): Promise<void> {
  const end = performance.now() + 60_000;
  while (!await test()) {
    if (performance.now() > end) throw new Error(`Timed out while waiting for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
