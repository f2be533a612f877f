/**
 * Scripted MCP and authorization servers, and a scripted user.
 *
 * @module
 */

import { type Fields, fieldsOf, isFields } from "./operation.ts";

/** Status codes of responses without a body. */
const NO_BODY: readonly number[] = [101, 204, 205, 304];

/**
 * Returns the scripted response for the method and URL of each request. Any other request receives
 * status 404.
 */
export class ScriptedAuthWeb {
  readonly #requests: object[] = [];
  readonly #logins: object[] = [];
  readonly #proven: boolean[] = [];
  readonly #web: ReadonlyMap<string, unknown[]>;
  readonly #person: Fields;
  readonly #callback: unknown;
  readonly #waiting = new AbortController();
  readonly #held: { readonly count: number; readonly release: () => void }[] = [];
  #challenge = "";
  #openBodies = 0;

  /** Creates the servers and the user from the arguments of the operation. */
  constructor(args: Fields) {
    const web = Object.entries(fieldsOf(args, "web"));
    this.#web = new Map(web.map(([route, answers]) => [route, [answers].flat()]));
    this.#person = isFields(args.person) ? args.person : {};
    this.#callback = args.callback;
  }

  /** Aborted when a login begins or a request receives a response that stalls. */
  get waiting(): AbortSignal {
    return this.#waiting.signal;
  }

  /** Requests, logins, and the bodies that the client has neither read nor cancelled. */
  get log(): object {
    return {
      requests: this.#requests,
      logins: this.#logins,
      proven: this.#proven,
      openBodies: this.#openBodies,
    };
  }

  /** Behaves like the platform's `fetch`, including redirects. */
  readonly fetch = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const { method = "GET", body } = init;
    const headers = Object.fromEntries(new Headers(init.headers));
    const text = typeof body === "string" || body instanceof URLSearchParams ? String(body) : "";
    const isForm = headers["content-type"]?.startsWith("application/x-www-form-urlencoded");
    const form = isForm ? Object.fromEntries(new URLSearchParams(text)) : undefined;
    this.#requests.push({
      method,
      url,
      headers,
      ...(form === undefined ? {} : { form }),
      ...(text.startsWith("{") ? { json: JSON.parse(text) } : {}),
      ...(headers.dpop === undefined ? {} : { dpop: readClaims(headers.dpop) }),
    });
    for (const { count, release } of this.#held) {
      if (this.#requests.length >= count) release();
    }
    if (form?.code_verifier !== undefined) await this.#check(form.code_verifier);
    const answers = this.#web.get(`${method} ${url}`) ?? [];
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    const response = await this.#respond(isFields(answer) ? answer : { status: 404 }, init.signal);
    const target = response.headers.get("location");
    if (target === null || init.redirect === "manual") return response;
    await response.body?.cancel();
    return await this.fetch(new URL(target, url).href, init);
  };

  /** Runs the user's login as scripted in the case. */
  readonly authorize = async (
    url: URL,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<URL | URLSearchParams | string> => {
    const query = Object.fromEntries(url.searchParams);
    this.#challenge = query.code_challenge ?? "";
    const login = { endpoint: `${url.origin}${url.pathname}`, query, isAborted: false };
    this.#logins.push(login);
    signal.addEventListener("abort", () => login.isAborted = true, { once: true });
    this.#waiting.abort();
    if (this.#callback === "fails") throw new Error("the browser cannot be opened");
    if (this.#callback === "waits") await abortOf(signal);
    if (this.#callback === "never") await new Promise(() => {});
    const callback = new URL(query.redirect_uri ?? "");
    const parameters = { code: "code-1", state: query.state, ...this.#person };
    for (const [name, value] of Object.entries(parameters)) {
      for (const each of [value].flat()) {
        if (typeof each === "string") callback.searchParams.append(name, each);
      }
    }
    if (this.#callback === "invalid") return "not a URL";
    if (this.#callback === "parameters") return callback.searchParams;
    return this.#callback === "text" ? callback.href : callback;
  };

  async #respond(answer: Fields, signal: AbortSignal | null | undefined): Promise<Response> {
    const { status = 200, json, text = "", padToBytes, chunkBytes = Infinity } = answer;
    const { fails, stalls, afterRequests } = answer;
    if (fails === true) throw new TypeError("the connection failed");
    if (afterRequests !== undefined) await this.#hold(Number(afterRequests));
    if (stalls === "response") await this.#stall(signal);
    const init = { status: Number(status), headers: toHeaders(fieldsOf(answer, "headers")) };
    if (NO_BODY.includes(init.status)) return new Response(null, init);
    const content = json === undefined ? String(text) : JSON.stringify(json);
    const bytes = new TextEncoder().encode(content.padEnd(Number(padToBytes) || 0));
    let start = 0;
    this.#openBodies++;
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller): Promise<void> => {
        controller.enqueue(bytes.subarray(start, start += Number(chunkBytes)));
        if (start < bytes.length) return;
        if (stalls === "body") await this.#stall(signal);
        controller.close();
        this.#openBodies--;
      },
      cancel: (): void => {
        this.#openBodies--;
      },
    }, { highWaterMark: 0 });
    return new Response(body, init);
  }

  /** Waits until the client has sent a number of requests. */
  #hold(count: number): Promise<void> {
    return new Promise((release) => this.#held.push({ count, release }));
  }

  async #stall(signal: AbortSignal | null | undefined): Promise<void> {
    // The caller must be waiting for the response when the request is aborted.
    await Promise.resolve();
    this.#waiting.abort();
    await abortOf(signal);
  }

  async #check(verifier: string): Promise<void> {
    const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
    const text = btoa(String.fromCharCode(...new Uint8Array(hash)));
    const challenge = text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    this.#proven.push(challenge === this.#challenge);
  }
}

/** Rejects when the signal is aborted. Never resolves. */
function abortOf(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** Reads the claims of a DPoP proof, without verifying the proof. */
function readClaims(proof: string): unknown {
  const [, claims = ""] = proof.split(".");
  return JSON.parse(atob(claims.replaceAll("-", "+").replaceAll("_", "/")));
}

/** Converts the headers in a case to HTTP headers. */
export function toHeaders(headers: Fields): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, String(value)]),
  );
}
