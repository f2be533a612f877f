/**
 * Checks everything that passes between the kit and an MCP subject against the rules that hold for
 * every message.
 *
 * @module
 */

import { InvariantLedger } from "../kit/invariant_ledger.ts";
import { isObject, readJson } from "../kit/json.ts";
import { show } from "../kit/match_value.ts";
import type { CaseRun } from "../kit/verdict.ts";
import { ByteLineSplitter } from "../subject/lines.ts";
import type { HttpWatcher, LineWatcher, WatchedRequest } from "../subject/wire_watcher.ts";
import { findLineProblems } from "./byte_rules.ts";
import { Dialogue, type Side } from "./dialogue.ts";
import { HttpExchange } from "./http_exchange.ts";
import { MessageRules } from "./message_rules.ts";
import { SchemaRules } from "./schema_rules.ts";

/** Maximum length of a line or body that is checked, in bytes. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Watches all connections of one executor. */
export class McpWatch {
  readonly #role: "server" | "client";
  readonly #ledger: InvariantLedger;
  /** Conversations over HTTP, keyed by session id. */
  readonly #sessions: Map<string, Dialogue> = new Map();
  readonly #schemas: SchemaRules = new SchemaRules();
  readonly #rules: WeakMap<Dialogue, MessageRules> = new WeakMap();
  #caseId: string | undefined;

  /**
   * Creates a watch without connections.
   *
   * @param role Role of the subject.
   * @param ledger Collects what the rules find.
   */
  constructor(role: "server" | "client", ledger: InvariantLedger = new InvariantLedger()) {
    this.#role = role;
    this.#ledger = ledger;
  }

  /** Attributes everything that follows to a case. */
  begin(caseId: string): void {
    this.#caseId = caseId;
  }

  /** Returns the result of the invariant with a rule. */
  settle(rule: string, except?: readonly string[]): CaseRun {
    return this.#ledger.settle(rule, except);
  }

  /** Returns the watcher of a new connection over stdio. */
  lines(): LineWatcher {
    const dialogue = this.#start();
    const sent = new ByteLineSplitter({
      line: (line) => this.#take(readJson(decode(line))?.value, "kit", dialogue),
      overflow: () => dialogue.isPartial = true,
    }, MAX_BYTES);
    return {
      sent: (data) => sent.push(typeof data === "string" ? encode(data) : data),
      ended: () => sent.end(),
      received: (line) => {
        const value = readJson(decode(line))?.value;
        this.#record("bytes", findLineProblems(line, { version: dialogue.version }));
        if (value !== undefined) this.#take(value, "subject", dialogue);
      },
    };
  }

  /** Returns the watcher of a new connection over HTTP. */
  http(): HttpWatcher {
    let latest = this.#start();
    // Each client has its own test server, and several clients of one case can have sessions.
    const sessions: Map<string, Dialogue> = this.#role === "client" ? new Map() : this.#sessions;
    return {
      request: (request) => {
        const isOpening = isInitialize(request);
        if (isOpening) {
          const isRenewed = latest.phase !== "new";
          latest = this.#start();
          latest.isRenewed = isRenewed;
        }
        const id = request.headers["mcp-session-id"];
        const session = id === undefined ? undefined : sessions.get(id);
        const own = isOpening ? latest : session ?? latest;
        // A client opens a stream without a session before it sends `initialize`.
        const isFixed = request.method === "POST" || session !== undefined;
        return new HttpExchange(request, {
          role: this.#role,
          dialogue: own,
          take: (value, from, exchange) =>
            this.#take(value, from, isFixed ? own : latest, exchange),
          record: (rule, problems) => this.#record(rule, problems),
          onSession: (assigned) => sessions.set(assigned, own),
        });
      },
    };
  }

  #record(rule: string, problems: readonly string[]): void {
    this.#ledger.record(rule, { caseId: this.#caseId, problems });
  }

  #rulesOf(dialogue: Dialogue): MessageRules {
    const known = this.#rules.get(dialogue);
    if (known !== undefined) return known;
    const rules = new MessageRules(this.#schemas);
    this.#rules.set(dialogue, rules);
    return rules;
  }

  #start(): Dialogue {
    return new Dialogue(this.#role === "server" ? "kit" : "subject");
  }

  #take(value: unknown, from: Side, dialogue: Dialogue, exchange?: HttpExchange): void {
    const messages: readonly unknown[] = Array.isArray(value) ? value : [value];
    for (const message of messages) {
      if (!isObject(message)) {
        if (from === "kit") dialogue.hasMalformed = true;
        continue;
      }
      if (from === "kit" && !hasReadableId(message)) dialogue.hasMalformed = true;
      const seen = dialogue.observe(message, from, exchange);
      // A resumed stream repeats messages.
      if (from === "kit" || exchange?.isResumed === true) continue;
      if (seen.kind === "response" && exchange?.request.method === "GET" && exchange.isStream) {
        this.#record("ids", [`a response on the stream for other messages: ${show(message, 200)}`]);
      }
      this.#rulesOf(dialogue).check(seen, dialogue, (rule, found) => this.#record(rule, found));
    }
  }
}

function isInitialize({ body }: WatchedRequest): boolean {
  const value = readJson(decode(body))?.value;
  return isObject(value) && value.method === "initialize";
}

function hasReadableId({ jsonrpc, method, id, ...rest }: Readonly<Record<string, unknown>>) {
  const isCall = typeof method === "string";
  const isKnownId = typeof id === "string" || Number.isInteger(id) || (isCall && id === undefined);
  return jsonrpc === "2.0" && isKnownId && (isCall || "result" in rest || "error" in rest);
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
