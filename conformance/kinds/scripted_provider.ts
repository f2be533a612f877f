/**
 * A model provider on the loopback interface, whose responses a case scripts.
 *
 * @module
 */

import type { ProviderCase } from "../kit/case.ts";
import { isObject, type JsonObject, readJson } from "../kit/json.ts";
import { type Captures, findMismatch } from "../kit/match_value.ts";
import { pluralize } from "../kit/pluralize.ts";
import { ProviderApi, type ProviderReply, type ProviderTurn } from "../kit/provider_turn.ts";
import { type HttpReply, type HttpRequest, listenHttp } from "../platform/http.ts";
import type { Trace } from "../subject/trace.ts";
import { renderReply } from "./answers/render_reply.ts";
import { encodeBody, splitReply, writeChunks } from "./http_body.ts";
import type {
  ProviderExchange,
  ProviderRecord,
  ProviderRequest,
  ToolExecution,
} from "./provider_exchange.ts";
import type { ScriptedHost } from "./scripted_host.ts";

/** Options for {@linkcode ScriptedProvider}. */
export interface ProviderOptions {
  /** Receives the violations, and has the gates that delay responses. */
  readonly host: ScriptedHost;
  /** Message log. */
  readonly trace: Trace;
  /** Captured values. */
  readonly captures: Captures;
  /** Scaling factor for the delays in the case. */
  readonly scale: number;
}

/** Maximum number of requests in one case. */
const MAX_REQUESTS = 100;

/** Maximum length of all request bodies in one case, in bytes. */
const MAX_TOTAL_BYTES = 64 * 1024 * 1024;

/** Path of each API's base URL. It contains the version, as in the base URLs of the providers. */
const BASE_PATHS: Readonly<Record<ProviderApi, string>> = {
  [ProviderApi.OpenAiChat]: "/v1",
  [ProviderApi.OpenAiResponses]: "/v1",
  [ProviderApi.Anthropic]: "/v1",
  [ProviderApi.Gemini]: "/v1beta",
};

/** Responds to the requests of one case, in the order of arrival, and records them. */
export class ScriptedProvider {
  readonly #script: Pick<ProviderCase, "api" | "turns">;
  readonly #options: ProviderOptions;
  readonly #exchanges: ProviderExchange[] = [];
  readonly #executions: ToolExecution[] = [];
  readonly #closing: AbortController = new AbortController();
  #bytes = 0;
  #stop: () => Promise<void> = () => Promise.resolve();

  /** Creates a provider that does not listen yet. */
  constructor(script: Pick<ProviderCase, "api" | "turns">, options: ProviderOptions) {
    this.#script = script;
    this.#options = options;
  }

  /** Everything that the subject has done so far. */
  get record(): ProviderRecord {
    const { api } = this.#script;
    return { api, exchanges: this.#exchanges, executions: this.#executions };
  }

  /** The first turn that the subject has not used. */
  get nextTurn(): ProviderTurn | undefined {
    return this.#script.turns[this.#exchanges.length];
  }

  /** Starts to listen, and returns the base URL of the API. */
  async listen(): Promise<string> {
    const { port, close } = await listenHttp((request, reply) => this.#handle(request, reply));
    this.#stop = close;
    return `http://127.0.0.1:${port}${BASE_PATHS[this.#script.api]}`;
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#stop();
  }

  /** Records that the subject has executed a tool. */
  noteExecution(args: unknown): void {
    const { name, input } = isObject(args) ? args : {};
    const requestsBefore = this.#exchanges.length;
    this.#executions.push({ name: String(name), input, requestsBefore });
  }

  async #handle(incoming: HttpRequest, reply: HttpReply): Promise<void> {
    const request = toRequest(incoming);
    this.#options.trace.add("←", `${request.method} ${request.path} ${request.bodyText}`);
    // For example, a client can ask for the list of models before it calls one.
    if (request.method !== "POST") return refuse(reply, 404, "the kit has no such resource");
    const turn = this.nextTurn;
    const index = this.#exchanges.length;
    this.#bytes += incoming.body.length;
    if (index >= MAX_REQUESTS || this.#bytes > MAX_TOTAL_BYTES) {
      return this.#reject(reply, `more than ${MAX_REQUESTS} requests or ${MAX_TOTAL_BYTES} bytes`);
    }
    const { api } = this.#script;
    const rendered = turn === undefined
      ? undefined
      : renderReply(turn.reply, { api, request, index });
    this.#exchanges.push({
      index,
      request,
      ...(rendered === undefined ? {} : { reply: rendered }),
    });
    if (request.json === undefined) {
      return this.#reject(reply, `request ${index + 1} without a JSON object as its body`);
    }
    if (turn === undefined || rendered === undefined) {
      const { length } = this.#script.turns;
      return this.#reject(
        reply,
        `request ${index + 1}, but the script has ${pluralize(length, "turn")}`,
      );
    }
    this.#check(turn, request, index);
    if (await this.#isAborted(turn, incoming.signal)) return reply.drop();
    await this.#respond(rendered, reply);
  }

  #check({ expect }: ProviderTurn, request: ProviderRequest, index: number): void {
    if (expect === undefined) return;
    const { host, captures } = this.#options;
    const mismatch = findMismatch(expect, request, captures);
    if (mismatch === undefined) return;
    host.addViolation({
      sent: `request ${index + 1} to the provider`,
      expected: `${mismatch.expected} at ${mismatch.path}`,
      got: mismatch.got,
    });
  }

  #reject(reply: HttpReply, got: string): void {
    this.#options.host.addViolation({ expected: "only requests that the script allows", got });
    refuse(reply, 400, `The script does not allow ${got}`);
  }

  /**
   * Waits until a step releases the turn, and for its delay. Returns true if the subject or the kit
   * closes the connection first.
   */
  async #isAborted({ hold: name, reply }: ProviderTurn, signal: AbortSignal): Promise<boolean> {
    const { host, scale } = this.#options;
    const ended = whenAborted(AbortSignal.any([signal, this.#closing.signal])).then(() => true);
    if (name !== undefined) {
      const hold = host.hold(name);
      signal.addEventListener("abort", () => hold.cancel(), { once: true });
      hold.arrive();
      if (await Promise.race([hold.released.then(() => false), ended])) return true;
    }
    return reply.delayMs === undefined
      ? false
      : await Promise.race([pause(reply.delayMs * scale).then(() => false), ended]);
  }

  async #respond(scripted: ProviderReply, reply: HttpReply): Promise<void> {
    const { captures, trace } = this.#options;
    const { head, body } = splitReply(scripted, captures);
    const bytes = encodeBody(body, captures);
    trace.add("→", `${head.status} ${new TextDecoder().decode(bytes)}`);
    reply.head(head.status, head.headers);
    await writeChunks(reply, bytes, body.chunks);
    if (scripted.cut === true) reply.drop();
    else reply.end();
  }
}

function toRequest({ method, path, headers, body }: HttpRequest): ProviderRequest {
  const bodyText = new TextDecoder().decode(body);
  const value = readJson(bodyText)?.value;
  // An object that was parsed from JSON is a JSON object.
  const json = isObject(value) ? { json: value as JsonObject } : {};
  return { method, path, headers, bodyText, ...json };
}

/** Sends an error in the form that all APIs share: an object with the member `error`. */
function refuse(reply: HttpReply, status: number, message: string): void {
  reply.head(status, { "content-type": "application/json" });
  reply.write(JSON.stringify({ error: { message, type: "invalid_request_error" } }));
  reply.end();
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
