/**
 * An editor in the process of the tests.
 *
 * @module
 */

import { asRecord, type UnknownRecord } from "@parley/internal/json";
import { splitLines } from "@parley/internal/split-lines";
import { type AgentConfig, ToolLoopAgent } from "../../agent/agent.ts";
import { memoryStorage } from "../../session/memory_storage.ts";
import { scriptedModel, type ScriptedTurn } from "../../testing/scripted_model.ts";
import type { ServeAcpOptions } from "../acp_options.ts";
import type { AcpSession } from "../acp_session.ts";
import { serveAcp } from "../serve_acp.ts";

/** Responds to a request of the agent. `undefined` sends no response. */
type Answer = (params: UnknownRecord, id: unknown) => object | undefined;

/** Options for {@linkcode openEditor}, and the script of the agent. */
export interface TestEditorOptions extends Partial<ServeAcpOptions> {
  readonly script?: readonly ScriptedTurn[];
  readonly agent?: (session: AcpSession) => Partial<AgentConfig>;
  readonly capabilities?: object;
  readonly answers?: Readonly<Record<string, Answer>>;
}

/** All capabilities of an editor. */
export const ALL = { fs: { readTextFile: true, writeTextFile: true }, terminal: true };

/** An editor that speaks the protocol over two streams in memory. */
export class TestEditor {
  /** Updates of the sessions, as received. */
  readonly updates: UnknownRecord[] = [];
  /** Methods and parameters of the requests and notifications of the agent. */
  readonly requests: [unknown, UnknownRecord][] = [];
  /** All messages in the order in which they were received. */
  readonly received: UnknownRecord[] = [];
  /** Errors that the agent reported. */
  readonly errors: unknown[];
  readonly served: Promise<void>;
  /** Messages of both sides, in the order in which they were sent and received. */
  readonly timeline: { readonly isSent: boolean; readonly message: UnknownRecord }[] = [];
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #answers: Record<string, Answer>;
  readonly #responses = new Map<unknown, PromiseWithResolvers<UnknownRecord>>();
  readonly #reading: Promise<void>;
  #nextId = 1;

  constructor(
    options: ServeAcpOptions,
    answers: Readonly<Record<string, Answer>>,
    errors: unknown[],
  ) {
    const input = new TransformStream<Uint8Array, Uint8Array>();
    const output = new TransformStream<Uint8Array, Uint8Array>();
    this.#answers = { ...answers };
    this.errors = errors;
    this.#writer = input.writable.getWriter();
    this.#writer.closed.catch(() => {});
    this.served = serveAcp({ readable: input.readable, writable: output.writable }, options);
    this.served.catch(() => {});
    const lines = splitLines(async (take) => {
      for await (const chunk of output.readable) await take(chunk);
    });
    this.#reading = lines((line) => this.#receive(JSON.parse(String(line)))).catch(() => {});
  }

  /** Replaces the response to the requests with a method. */
  answer(method: string, answer: Answer): void {
    this.#answers[method] = answer;
  }

  /** Sends text. */
  async write(text: string): Promise<void> {
    await this.#writer.write(new TextEncoder().encode(text));
  }

  /** Sends a message without waiting for a response. */
  async post(message: object): Promise<void> {
    this.timeline.push({ isSent: true, message: { ...message } });
    await this.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  /** Returns the response with an id. */
  response(id: unknown): Promise<UnknownRecord> {
    const known = this.#responses.get(id) ?? Promise.withResolvers<UnknownRecord>();
    this.#responses.set(id, known);
    return known.promise;
  }

  /** Sends a request, and returns its id. */
  async start(method: string, params: object = {}): Promise<number> {
    const id = this.#nextId++;
    await this.post({ id, method, params });
    return id;
  }

  /** Sends a request, and returns its result, or its error. */
  async ask(method: string, params: object = {}): Promise<UnknownRecord> {
    return resultOf(await this.response(await this.start(method, params)));
  }

  /** Sends a prompt, and returns its result, or its error. */
  async prompt(sessionId: unknown, text: string): Promise<UnknownRecord> {
    return await this.ask("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  }

  /** Initializes the connection, and opens a session. Returns its id. */
  async open(capabilities: object = ALL): Promise<string> {
    await this.ask("initialize", { protocolVersion: 1, clientCapabilities: capabilities });
    const { sessionId } = await this.ask("session/new", { cwd: "/w", mcpServers: [] });
    return String(sessionId);
  }

  /** Text of the agent's messages so far. */
  get text(): string {
    return this.updates.filter(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk")
      .map(({ content }) => asRecord(content).text).join("");
  }

  /** Removes and returns the updates so far. */
  takeUpdates(): UnknownRecord[] {
    return this.updates.splice(0);
  }

  /** Ends the input, and waits until the agent has ended. */
  async end(): Promise<void> {
    await this.#writer.close();
    await this.served;
    await this.#reading;
  }

  #receive(value: unknown): undefined {
    const message = asRecord(value);
    this.received.push(message);
    this.timeline.push({ isSent: false, message });
    const { id, method } = message;
    const params = asRecord(message.params);
    if (method === undefined) {
      this.response(id);
      this.#responses.get(id)?.resolve(message);
    } else if (method === "session/update") {
      this.updates.push(asRecord(params.update));
    } else {
      this.requests.push([method, params]);
      const answer = this.#answers[String(method)]?.(params, id);
      // The agent may have stopped reading.
      if (answer !== undefined && id !== undefined) this.post({ id, ...answer }).catch(() => {});
    }
    return undefined;
  }
}

/** Returns the result of a response, or its error. */
export function resultOf({ error, result }: UnknownRecord): UnknownRecord {
  return asRecord(error ?? result);
}

/** Returns an editor, and an agent with a scripted model. */
export function openEditor(
  { agent, answers = {}, script = [], ...options }: TestEditorOptions = {},
): TestEditor {
  const model = scriptedModel(script);
  const errors: unknown[] = [];
  return new TestEditor(
    {
      name: "clerk",
      version: "1.0.0",
      storage: memoryStorage(),
      onError: (error) => errors.push(error),
      make: (session) => new ToolLoopAgent({ name: "clerk", model, ...agent?.(session) }),
      ...options,
    },
    answers,
    errors,
  );
}

/** Returns the response that selects an option. */
export function select(optionId: string): Answer {
  return () => ({ result: { outcome: { outcome: "selected", optionId } } });
}
