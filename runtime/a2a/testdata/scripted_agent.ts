/**
 * An A2A agent on the loopback address that sends given responses and records the requests.
 *
 * @module
 */

import type { AgentCard } from "../agent_card.ts";
import type { ClientBinding } from "../client_request.ts";
import { eventStream } from "../../models/testdata/fake_endpoint.ts";

/** A received request. */
export interface SeenRequest {
  readonly method: string;
  /** Path and query, without the path of the endpoint. */
  readonly path: string;
  readonly headers: Headers;
  /** The body. For JSON-RPC, the request object. */
  readonly body: unknown;
}

/** A response: a result, the results in a stream, or a whole HTTP response. */
export type ScriptedReply =
  | { readonly result: unknown }
  | { readonly stream: readonly unknown[] }
  | Response;

/** Returns the response to a request. */
export type Script = (request: SeenRequest) => ScriptedReply | Promise<ScriptedReply>;

/** A running agent. */
export class ScriptedAgent implements AsyncDisposable {
  /** Requests received so far except those for the card, oldest first. */
  readonly seen: SeenRequest[] = [];
  /** Headers of the last request for the card. */
  cardHeaders: Headers = new Headers();
  /** Changes of the card. */
  card: Partial<AgentCard> = {};
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #binding: ClientBinding;
  readonly #script: Script;

  /** Starts the agent. */
  constructor(binding: ClientBinding, script: Script) {
    this.#binding = binding;
    this.#script = script;
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      (request) => this.#respond(request),
    );
  }

  /** Origin of the agent. */
  get origin(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  /** Stops the agent, and waits until all connections are closed. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }

  async #respond(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    if (pathname === "/.well-known/agent-card.json") {
      this.cardHeaders = request.headers;
      return Response.json(this.#toCard());
    }
    const text = await request.text();
    const seen = {
      method: request.method,
      path: pathname.replace(/^\/a2a/, "") + search,
      headers: request.headers,
      body: text === "" ? undefined : JSON.parse(text),
    };
    this.seen.push(seen);
    const reply = await this.#script(seen);
    if (reply instanceof Response) return reply;
    if ("result" in reply) return Response.json(this.#wrap(reply.result));
    return eventStream(reply.stream.map((each) => JSON.stringify(this.#wrap(each))));
  }

  #wrap(result: unknown): unknown {
    return this.#binding === "JSONRPC" ? { jsonrpc: "2.0", id: 1, result } : result;
  }

  #toCard(): unknown {
    return {
      name: "oracle",
      description: "Answers difficult questions",
      version: "1.0.0",
      supportedInterfaces: [
        { url: `${this.origin}/a2a`, protocolBinding: this.#binding, protocolVersion: "1.0" },
      ],
      capabilities: { streaming: true },
      defaultInputModes: ["text/plain"],
      defaultOutputModes: ["text/plain"],
      skills: [{ id: "answer", name: "Answer", description: "Answers", tags: ["math"] }],
      ...this.card,
    };
  }
}

/** Returns a task. */
export function taskOf(state: string, members: object = {}): object {
  return { id: "t1", contextId: "c1", status: { state: `TASK_STATE_${state}` }, ...members };
}

/** Returns an update of the state of the task. */
export function statusOf(state: string, text?: string): object {
  const message = { messageId: "m1", role: "ROLE_AGENT", parts: [{ text }] };
  const status = { state: `TASK_STATE_${state}`, ...text !== undefined && { message } };
  return { statusUpdate: { taskId: "t1", contextId: "c1", status } };
}

/** Returns an update of an artifact of the task. */
export function artifactOf(parts: readonly object[], append = false): object {
  const artifact = { artifactId: "a1", parts };
  return { artifactUpdate: { taskId: "t1", contextId: "c1", artifact, append } };
}
