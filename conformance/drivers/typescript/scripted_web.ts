/**
 * Scripted web servers, as an implementation of `fetch`.
 *
 * @module
 */

import { type Fields, fieldsOf, isFields } from "./operation.ts";

/** A request and the number of body bytes read. */
export interface WebRequest {
  /** URL of the request. */
  readonly url: string;
  /** Number of body bytes read. */
  bodyBytes: number;
  /** Whether the client has aborted the request. */
  isAborted: boolean;
  /** Header `accept`. */
  readonly accept: string | null;
  /** Whether the request carries credentials, as in the Fetch standard. */
  readonly credentials: string;
  /** Whether the request names the page that caused it, as in the Fetch standard. */
  readonly referrerPolicy: string;
}

/**
 * Returns the scripted response for the URL of each request. A request for an unknown URL receives
 * status 404.
 */
export class ScriptedWeb {
  readonly #answers: Fields;
  readonly #requests: WebRequest[] = [];
  readonly #released: Promise<void>;
  #release = (): void => {};

  /** Creates the servers from responses, keyed by URL. */
  constructor(answers: Fields) {
    this.#answers = answers;
    this.#released = new Promise((resolve) => this.#release = resolve);
  }

  /** Requests received so far, in order. */
  get requests(): readonly WebRequest[] {
    return this.#requests;
  }

  /** Sends all held responses. */
  release(): void {
    this.#release();
  }

  /** Behaves like the platform's `fetch`, including redirects. */
  async fetch(request: Request): Promise<Response> {
    const { url, redirect, signal } = request;
    const { credentials, referrerPolicy } = privacyOf(request);
    const accept = request.headers.get("accept");
    const log: WebRequest = {
      url,
      bodyBytes: 0,
      accept,
      credentials,
      referrerPolicy,
      isAborted: false,
    };
    this.#requests.push(log);
    signal.addEventListener("abort", () => log.isAborted = true, { once: true });
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

type Privacy = Pick<WebRequest, "credentials" | "referrerPolicy">;

/** Options of a request that carries neither credentials nor a referrer. */
const PRIVATE = { credentials: "omit", referrerPolicy: "no-referrer" } as const;

/**
 * Returns whether a request carries credentials and a referrer. Bun and workerd send neither,
 * because they store no cookies and display no pages, and their requests do not reflect the
 * options.
 */
function privacyOf(request: Request): Privacy {
  const probe = new Request("https://did.example/", PRIVATE);
  const reflects = probe.credentials === PRIVATE.credentials &&
    probe.referrerPolicy === PRIVATE.referrerPolicy;
  return reflects ? request : PRIVATE;
}

/** Rejects when the signal is aborted. Never resolves. */
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

/** Creates a body stream that produces its chunks on demand. */
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
    cancel(): void {
      log.isAborted = true;
    },
  }, { highWaterMark: 0 });
}

function bodyOf({ document, padToBytes }: Fields): string {
  const text = isFields(document) ? JSON.stringify(document) : "";
  return text.padEnd(typeof padToBytes === "number" ? padToBytes : 0);
}
