/**
 * Web servers as a case describes them, behind the interface of `fetch`.
 *
 * @module
 */

import { type Fields, fieldsOf, isFields } from "./operation.ts";

/** One request and how much of its answer was taken. */
export interface WebRequest {
  /** The address. */
  readonly url: string;
  /** How many bytes of the body were read. */
  bodyBytes: number;
}

/** Answers requests from a table of addresses; whatever is not in it is not found. */
export class ScriptedWeb {
  readonly #answers: Fields;
  readonly #requests: WebRequest[] = [];
  readonly #released: Promise<void>;
  #release = (): void => {};

  /** Takes the answers by address. */
  constructor(answers: Fields) {
    this.#answers = answers;
    this.#released = new Promise((resolve) => this.#release = resolve);
  }

  /** What was asked for, in order. */
  get requests(): readonly WebRequest[] {
    return this.#requests;
  }

  /** Lets answers go that are held. */
  release(): void {
    this.#release();
  }

  /** What the platform's `fetch` does, redirects included. */
  async fetch(request: Request): Promise<Response> {
    const { url, redirect, signal } = request;
    const log: WebRequest = { url, bodyBytes: 0 };
    this.#requests.push(log);
    const answer = fieldsOf(this.#answers, url);
    if (answer.stalls === "answer") await abortOf(signal);
    if (answer.held === true) await this.#released;
    const response = new Response(streamBody(answer, signal, log), headOf(answer));
    const target = response.headers.get("location");
    if (target === null || response.status < 300 || response.status > 399) return response;
    if (redirect === "error") throw new TypeError("redirects are not allowed");
    if (redirect === "manual") return response;
    return await this.fetch(new Request(new URL(target, url), request));
  }
}

/** Rejects when the signal fires, and never resolves. */
function abortOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) =>
    signal.addEventListener("abort", () => reject(signal.reason), { once: true })
  );
}

function headOf(answer: Fields): ResponseInit {
  const { status = Object.keys(answer).length === 0 ? 404 : 200 } = answer;
  const headers = new Headers({ "content-type": "application/did+json" });
  for (const [name, value] of Object.entries(fieldsOf(answer, "headers"))) {
    headers.set(name, String(value));
  }
  return { status: Number(status), headers };
}

const CHUNK_BYTES = 16_384;

/** Gives the body in pieces, each when it is asked for. */
function streamBody(answer: Fields, signal: AbortSignal, log: WebRequest): ReadableStream {
  const bytes = new TextEncoder().encode(bodyOf(answer));
  return new ReadableStream({
    async pull(controller): Promise<void> {
      const chunk = bytes.subarray(log.bodyBytes, log.bodyBytes + CHUNK_BYTES);
      if (chunk.length > 0) controller.enqueue(chunk);
      else if (answer.stalls === "body") await abortOf(signal);
      else controller.close();
      log.bodyBytes += chunk.length;
    },
  }, { highWaterMark: 0 });
}

function bodyOf({ document, padToBytes }: Fields): string {
  const text = isFields(document) ? JSON.stringify(document) : "";
  return text.padEnd(typeof padToBytes === "number" ? padToBytes : 0);
}
