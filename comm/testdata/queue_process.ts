/**
 * A process that uses queues in an SQLite file, and the queues of this process that call it. A test
 * sends messages and reads dead letters in one process, and consumes in the other one.
 *
 *     deno run queue_process.ts FILE
 *
 * Each line of the standard input is a call, and each line of the standard output its result.
 *
 * @module
 */

import { TextLineStream } from "@std/streams/text-line-stream";
import { formatMessage, parseMessage } from "../message/message_json.ts";
import { CommError, messageTooLarge, sendFailed, transportClosed } from "../shared/error.ts";
import {
  type DeadLetter,
  type MessageQueue,
  type QueueOptions,
  sqliteQueue,
  type SqliteQueueOptions,
  type SqliteTransaction,
} from "../sqlite.ts";

/** A call. `open` creates the queue `queue`, whose other calls name one of its methods. */
interface Call {
  readonly id: number;
  readonly queue: number;
  readonly method: "open" | "send" | "deadLetters" | "redrive" | "close";
  readonly text?: string;
  readonly limit?: number;
  /** Options of `open`, and the inboxes of the recipients. */
  readonly options?: Omit<QueueOptions, "inboxOf" | "onError">;
  readonly inboxes?: Readonly<Record<string, string>>;
}

interface Result {
  readonly id: number;
  readonly value?: unknown;
  readonly code?: CommError["code"];
  readonly message?: string;
}

const RECIPIENTS = ["did:web:bob.example", "did:web:carol.example"];

/** The process that serves queues, as its parent process sees it. */
export class QueueProcess implements AsyncDisposable {
  readonly #path: string;
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>();
  readonly #reading: Promise<void>;
  #calls = 0;

  /** Starts the process for a file. */
  constructor(path: string) {
    this.#path = path;
    const args = ["run", "--quiet", "--no-check", "-A", import.meta.filename ?? "", path];
    this.#child = new Deno.Command("deno", { args, stdin: "piped", stdout: "piped" }).spawn();
    this.#writer = this.#child.stdin.getWriter();
    this.#reading = this.#read();
  }

  /** Opens a queue that consumes in this process and does everything else in the other one. */
  async open(options: SqliteQueueOptions): Promise<MessageQueue<SqliteTransaction>> {
    const queue = ++this.#calls;
    const { inboxOf, onError: _, ...rest } = options;
    const inboxes = Object.fromEntries(RECIPIENTS.map((did) => [did, inboxOf(did)]));
    await this.#call({ queue, method: "open", options: rest, inboxes });
    const local = sqliteQueue(this.#path, options);
    const close = async (): Promise<void> => {
      await Promise.all([local.close(), this.#call({ queue, method: "close" })]);
    };
    return {
      consume: (...args) => local.consume(...args),
      send: async (message, sendOptions) => {
        sendOptions?.signal?.throwIfAborted();
        await this.#call({ queue, method: "send", text: formatMessage(message) });
      },
      deadLetters: async (inbox, { limit = 1000 } = {}) => {
        const letters = await this.#call({ queue, method: "deadLetters", text: inbox, limit });
        return readLetters(letters);
      },
      redrive: async (inbox, { limit = 1000 } = {}) =>
        Number(await this.#call({ queue, method: "redrive", text: inbox, limit })),
      close,
      [Symbol.asyncDispose]: close,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writer.close();
    await this.#reading;
    await this.#child.status;
  }

  async #call(call: Omit<Call, "id">): Promise<unknown> {
    const id = ++this.#calls;
    const pending = Promise.withResolvers<unknown>();
    this.#pending.set(id, pending);
    await this.#writer.write(new TextEncoder().encode(`${JSON.stringify({ ...call, id })}\n`));
    return await pending.promise;
  }

  async #read(): Promise<void> {
    const lines = this.#child.stdout.pipeThrough(new TextDecoderStream())
      .pipeThrough(new TextLineStream());
    for await (const line of lines) {
      const { id, value, code, message = "" }: Result = JSON.parse(line);
      const pending = this.#pending.get(id);
      if (code === undefined) pending?.resolve(value);
      else pending?.reject(toError(code, message));
    }
  }
}

/** Returns an error with the code of an error in the other process. */
function toError(code: CommError["code"], message: string): CommError {
  if (code === "transport_closed") return transportClosed();
  return code === "message_too_large" ? messageTooLarge(0, 0) : sendFailed(message);
}

/** Reads dead letters, which the other process returns without their messages. */
function readLetters(value: unknown): readonly DeadLetter[] {
  if (!Array.isArray(value)) throw new TypeError("dead letters must be an array");
  return value.map(({ json, reason, attempts }) => {
    const message = parseMessage(String(json));
    return { message, json: String(json), reason: String(reason), attempts: Number(attempts) };
  });
}

/** Serves the calls of the parent process. */
async function serve(path: string): Promise<void> {
  const queues = new Map<number, MessageQueue<SqliteTransaction>>();
  const execute = async (call: Call): Promise<unknown> => {
    const { queue: number, method, text = "", limit = 1, options, inboxes = {} } = call;
    if (method === "open") {
      const inboxOf = (did: string): string => inboxes[did] ?? "";
      queues.set(number, sqliteQueue(path, { ...options, inboxOf, onError: () => {} }));
      return null;
    }
    const queue = queues.get(number);
    if (method === "send") return await queue?.send(parseMessage(text, { maxBytes: 1e6 }));
    if (method === "redrive") return await queue?.redrive(text, { limit });
    if (method === "close") return await queue?.close();
    const letters = await queue?.deadLetters(text, { limit }) ?? [];
    return letters.map(({ json, reason, attempts }) => ({ json, reason, attempts }));
  };
  const answer = async (call: Call): Promise<void> => {
    let result: Result = { id: call.id };
    try {
      result = { id: call.id, value: await execute(call) };
    } catch (error) {
      if (!(error instanceof CommError)) throw error;
      result = { id: call.id, code: error.code, message: error.message };
    }
    console.log(JSON.stringify(result));
  };
  const lines = Deno.stdin.readable.pipeThrough(new TextDecoderStream())
    .pipeThrough(new TextLineStream());
  const answers: Promise<void>[] = [];
  for await (const line of lines) answers.push(answer(JSON.parse(line)));
  await Promise.all(answers);
}

if (import.meta.main) await serve(Deno.args[0] ?? "");
