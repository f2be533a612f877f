/**
 * The rows of the timeline, created from events. Events are untrusted: the type of each member is
 * checked when it is read.
 *
 * @module
 */

import { Axis } from "./axis.ts";
import { type Fields, fieldsOf, numberOf, type Row, Rows, summaryOf, textOf } from "./rows.ts";

/** An approval request that is waiting for a person's decision. */
export interface Question {
  readonly key: string;
  readonly agent: string;
  readonly toolName: string;
  readonly input: unknown;
}

/** The type, the run and the time of an event. */
interface Origin {
  readonly type: string;
  readonly runId: string;
  readonly at: number;
}

/** Approvals that a program decides in less time, in milliseconds, are not shown as rows. */
const QUICK_APPROVAL_MS = 50;

/** Event types that add nothing to the rows. */
const IGNORED = new Set([
  "iteration_started",
  "iteration_finished",
  "text_delta",
  "reasoning_delta",
  "tool_input_delta",
  // The event of earlier versions for all three.
  "model_delta",
  "decision_unused",
]);

/** Counts of finished steps. */
export interface Totals {
  models: number;
  tools: number;
  verified: number;
  refused: number;
  inputTokens: number;
  outputTokens: number;
}

/** Rows, pending approvals and totals of the events so far. */
export class Timeline {
  readonly axis: Axis = new Axis();
  readonly rows: Rows = new Rows();
  title = "";
  note = "";
  answer = "";
  readonly totals: Totals = {
    models: 0,
    tools: 0,
    verified: 0,
    refused: 0,
    inputTokens: 0,
    outputTokens: 0,
  };
  /** Whether some of the token counts are estimated. */
  isEstimated = false;
  /** Approvals that wait for a person, keyed by approval key. */
  readonly questions: Map<string, Question> = new Map();
  /** Agent names, keyed by DID. */
  readonly #names = new Map<string, string>();
  /** Agent runs, keyed by the agent's DID. */
  readonly #runs = new Map<string, Row>();
  /** Ids of tool rows, keyed by run and tool call. */
  readonly #tools = new Map<string, string>();
  /** Times at which approvals were requested, keyed by tool row id. */
  readonly #requests = new Map<string, number>();
  /** Rows that contain replies and runs, keyed by message id or run id. */
  readonly #places = new Map<string, Row>();

  /** Adds an event. Returns `false` if the value is not an event. */
  add(value: unknown): boolean {
    const event = fieldsOf(value);
    const { type } = event;
    if (typeof type !== "string") return false;
    if (typeof event.at === "number" && Number.isFinite(event.at)) this.axis.add(event.at);
    const at = numberOf(event.at) || numberOf(this.axis.last);
    if (IGNORED.has(type)) return true;
    if (typeof event.runId === "string") this.#readRun({ type, runId: event.runId, at }, event);
    else this.#read(type, event, at);
    return true;
  }

  /** Ends all rows that are in progress, because no more events follow. */
  close(): void {
    for (const row of this.rows.all) {
      if (row.end !== undefined) continue;
      this.rows.change(row, { end: row.parent?.end ?? this.axis.last, status: "no end" });
    }
    this.questions.clear();
  }

  #read(type: string, event: Fields, at: number): void {
    switch (type) {
      case "page":
        [this.title, this.note] = [textOf(event.title), textOf(event.note)];
        break;
      case "agent":
        this.#names.set(textOf(event.did), textOf(event.name));
        break;
      case "answer":
        this.answer = textOf(event.text);
        break;
      case "task":
        this.#placeTask(event);
        break;
      case "message":
        this.#addMessage(event, at);
        break;
      case "decision_needed":
        this.#addQuestion(event, at);
        break;
      case "decision_made":
        this.questions.delete(textOf(event.key));
        break;
      default:
        this.#addNote(type, event, at);
    }
  }

  #readRun(origin: Origin, event: Fields): void {
    const { type, at } = origin;
    switch (type) {
      case "run_started":
        return this.#startRun(origin, event);
      case "run_finished":
      case "run_failed":
        return this.#endRun(origin, event);
      case "run_paused":
        return this.rows.change(this.#run(origin, event), { status: "paused" });
      case "run_resumed":
        return this.rows.change(this.#run(origin, event), { status: undefined });
      case "model_started":
      case "model_retry":
      case "model_finished":
        return this.#readModel(origin, event);
      case "approval_requested":
        this.#requests.set(this.#toolId(origin, event), at);
        return;
      case "approval_decided":
        return this.#endApproval(origin, event);
      case "decision_needed":
        return this.#addQuestion(event, at, origin);
      case "tool_started":
      case "tool_progress":
      case "tool_finished":
        return this.#readTool(origin, event);
      default:
        return this.#addNote(type, event, at);
    }
  }

  #startRun(origin: Origin, event: Fields): void {
    const { runId } = origin;
    const known = this.rows.get(runId);
    if (known !== undefined) {
      // A durable run restarts in a different process after a crash.
      const starts = Number(known.facts.get("starts") ?? "1") + 1;
      const again = { end: undefined, verdict: undefined, status: undefined };
      return this.rows.change(known, again, { starts });
    }
    const row = this.#run(origin, event);
    const path = Array.isArray(event.path) ? event.path.map(textOf) : [];
    const outer = path.length > 1 ? `sub-agent of ${path.at(-2)}` : "";
    const detail = [textOf(event.modelId), outer].filter(Boolean).join(" · ");
    if (typeof event.agentDid === "string") this.#runs.set(event.agentDid, row);
    const { agentDid: DID, modelId: model, provider } = event;
    const facts = { agent: path.join(" › "), DID, model, provider, run: runId };
    this.rows.change(row, { name: textOf(event.agentName) || row.name, detail }, facts);
  }

  /** Returns the row of a run, even if the log starts in the middle of the run. */
  #run({ runId, at }: Origin, event: Fields): Row {
    const name = Array.isArray(event.path) ? textOf(event.path.at(-1)) : "";
    // The id of a sub-agent's run is the id of the tool call, a slash, and the sub-agent's name
    // with a number.
    const outer = this.rows.get(runId.slice(0, Math.max(0, runId.lastIndexOf("/"))));
    const parent = this.#places.get(runId) ?? outer;
    return this.rows.open(runId, { kind: "run", name: name || "run", start: at, parent });
  }

  #endRun(origin: Origin, event: Fields): void {
    const row = this.#run(origin, event);
    const isFailed = origin.type === "run_failed";
    const pending = Array.isArray(event.approvals) ? event.approvals.length : 0;
    const { message, code } = fieldsOf(event.error);
    this.rows.change(row, {
      end: origin.at,
      verdict: isFailed ? "bad" : undefined,
      status: isFailed ? "failed" : pending > 0 ? "waiting" : undefined,
      output: isFailed ? message : event.finalText,
    }, {
      "stop reason": event.stopReason,
      "error code": code,
      "model calls": event.iterations,
      tokens: fieldsOf(event.totalUsage).totalTokens,
      "pending approvals": pending || undefined,
    });
  }

  #readModel(origin: Origin, event: Fields): void {
    const { type, runId, at } = origin;
    const parent = this.#run(origin, event);
    const iteration = numberOf(event.iteration);
    const name = parent.facts.get("model") ?? "model";
    const key = `${runId}/i${iteration}/model`;
    const row = this.rows.open(key, { kind: "model", name, start: at, parent });
    const detail = `call ${iteration + 1}`;
    if (type === "model_started") return this.rows.change(row, { detail });
    if (type === "model_retry") {
      return this.rows.change(row, {}, { retries: event.attempt, "last error": event.reason });
    }
    const { content } = fieldsOf(event.message);
    const parts = (Array.isArray(content) ? content : []).map(fieldsOf);
    parts.filter((part) => part.type === "tool-call").forEach(({ toolCallId }, position) =>
      this.#tools.set(callKey(runId, toolCallId), `${runId}/i${iteration}/tool/${position}`)
    );
    if (row.end !== undefined) return; // The response is replayed from a journal.
    const { inputTokens, outputTokens, totalTokens, estimated } = fieldsOf(event.usage);
    this.totals.models += 1;
    this.totals.inputTokens += numberOf(inputTokens);
    this.totals.outputTokens += numberOf(outputTokens);
    this.isEstimated ||= estimated === true;
    const tokens = `${detail} · ${numberOf(totalTokens).toLocaleString("en")} tokens`;
    this.rows.change(row, { end: at, output: content, detail: tokens }, {
      "finish reason": event.finishReason,
      "input tokens": inputTokens,
      "output tokens": outputTokens,
      "response id": event.responseId,
    });
  }

  /** Returns the id of the tool row, which is also the key of the tool call in a journal. */
  #toolId({ runId }: Origin, event: Fields): string {
    const { toolCallId } = { ...event, ...fieldsOf(event.toolCall), ...fieldsOf(event.toolResult) };
    const unknown = `${runId}/i${numberOf(event.iteration)}/tool/${textOf(toolCallId)}`;
    return this.#tools.get(callKey(runId, toolCallId)) ?? unknown;
  }

  #addQuestion(event: Fields, at: number, origin?: Origin): void {
    const [key, toolName] = [textOf(event.key), textOf(event.toolName)];
    const { agent, input } = event;
    this.questions.set(key, { key, agent: textOf(agent), toolName, input });
    const id = origin ? this.#toolId(origin, event) : key;
    const parent = origin && this.#run(origin, event);
    const row = this.rows.open(`${id}/approval`, {
      kind: "approval",
      name: "approval",
      start: at,
      parent,
    });
    this.rows.change(row, { detail: toolName, input, status: "waiting" }, { key });
  }

  #endApproval(origin: Origin, event: Fields): void {
    const { at } = origin;
    const id = this.#toolId(origin, event);
    const isApproved = event.decision === "approve";
    const start = this.#requests.get(id) ?? at;
    const isShown = this.rows.get(`${id}/approval`) !== undefined;
    if (!isShown && isApproved && at - start < QUICK_APPROVAL_MS) return;
    const parent = this.#run(origin, event);
    const row = this.rows.open(`${id}/approval`, {
      kind: "approval",
      name: "approval",
      start,
      parent,
    });
    this.questions.delete(row.facts.get("key") ?? "");
    const { toolName, input } = fieldsOf(event.toolCall);
    this.rows.change(row, {
      end: at,
      detail: textOf(toolName),
      input,
      verdict: isApproved ? "good" : "bad",
      status: isApproved ? "✓ approved" : event.decision === "defer" ? "deferred" : "✗ denied",
    });
  }

  #readTool(origin: Origin, event: Fields): void {
    const { type, at } = origin;
    const id = this.#toolId(origin, event);
    const call = { ...fieldsOf(event.toolCall), ...fieldsOf(event.toolResult) };
    const name = textOf(call.toolName ?? event.toolName);
    const parent = this.#run(origin, event);
    const row = this.rows.open(id, { kind: "tool", name, start: at, parent });
    if (type === "tool_started") {
      return this.rows.change(row, { input: call.input, detail: summaryOf(call.input) });
    }
    if (type === "tool_progress") return this.rows.change(row, {}, { progress: event.progress });
    if (row.end !== undefined) return; // The result is replayed from a journal.
    this.totals.tools += 1;
    const bad = call.isError === true ? { verdict: "bad" as const, status: "✗ error" } : {};
    const facts = { "reported duration": call.durationMs, "result code": call.code };
    this.rows.change(row, { end: at, output: call.output, ...bad }, facts);
  }

  #addMessage(event: Fields, at: number): void {
    const message = fieldsOf(event.message);
    const [id, sender] = [textOf(message.id), textOf(message.sender)];
    const recipient = textOf(message.recipient);
    const receiver = textOf(event.receiver) || this.#nameOf(recipient);
    const isVerified = event.verified === true;
    this.totals[isVerified ? "verified" : "refused"] += 1;
    const parent = this.#places.get(textOf(message.correlationId)) ?? this.#openCallOf(sender);
    const name = textOf(message.messageType) || "message";
    const row = this.rows.open(`message ${this.totals.verified} ${this.totals.refused}`, {
      kind: "message",
      name,
      start: at,
      parent,
    });
    const from = this.#nameOf(sender);
    this.rows.change(row, {
      end: at,
      detail: `${from} → ${receiver}${isVerified ? "" : ` · ${textOf(event.reason)}`}`,
      input: message.payload,
      verdict: isVerified ? "good" : "bad",
      status: isVerified ? "✓ verified" : "✗ refused",
    }, {
      [isVerified ? "verified by" : "refused by"]: receiver,
      reason: event.reason,
      // Without a valid signature, the sender is only a claim.
      [isVerified ? "sender" : "claimed sender"]: sender,
      recipient,
      protocol: message.protocol,
      id,
      "in reply to": message.replyTo ?? message.correlationId,
      time: message.timestamp,
      signature: message.signature,
    });
    if (!isVerified) return;
    // Replies, and the run that handles a request, are placed where the request is.
    const place = parent ?? row;
    if (!this.#places.has(id)) this.#places.set(id, place);
    const { taskId } = fieldsOf(message.payload);
    if (typeof taskId === "string") this.#places.set(`${sender}/${taskId}`, place);
  }

  /** Places the run that handles a task where its request is. */
  #placeTask({ run, sender, taskId }: Fields): void {
    const place = this.#places.get(`${textOf(sender)}/${textOf(taskId)}`);
    if (place !== undefined) this.#places.set(textOf(run), place);
  }

  /** Returns an agent's most recent tool call that is in progress. */
  #openCallOf(did: string): Row | undefined {
    const run = this.#runs.get(did);
    if (run === undefined) return undefined;
    return this.rows.all.findLast(({ kind, parent, end }) =>
      kind === "tool" && parent === run && end === undefined
    );
  }

  #addNote(type: string, event: Fields, at: number): void {
    const { type: _type, at: _at, text, isError, ...rest } = event;
    const isNote = type === "note" && typeof rest.name === "string";
    const name = isNote ? textOf(rest.name) : type;
    const row = this.rows.open(`note ${this.rows.size}`, { kind: "note", name, start: at });
    const detail = text === undefined ? summaryOf(rest) : textOf(text);
    const verdict = isError === true ? "bad" as const : undefined;
    this.rows.change(row, { end: at, detail, verdict, status: "", output: text ?? rest });
  }

  /** Returns the name of an agent, or a shortened DID. */
  #nameOf(did: string): string {
    return this.#names.get(did) ?? (did.length > 24 ? `${did.slice(0, 14)}…${did.slice(-4)}` : did);
  }
}

function callKey(runId: string, toolCallId: unknown): string {
  return JSON.stringify([runId, textOf(toolCallId)]);
}
