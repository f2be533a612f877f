/**
 * Encodes the events of the runs of a prompt as session updates.
 *
 * @see {@link https://agentclientprotocol.com/protocol/v1/prompt-turn Prompt turn}
 * @module
 */

import { isRecord } from "@parley/internal/json";
import type { LoopEvent } from "../loop/events.ts";
import type { JsonObject, JsonValue } from "../shared/json.ts";
import type { AssistantMessage } from "../shared/model.ts";
import type { AcpToolKind } from "./acp_session.ts";
import {
  type AcpToolStatus,
  describeCall,
  type DisplayedCall,
  formatJson,
  toBlock,
  toChunk,
  toResultUpdate,
  toTextBlock,
  toToolContent,
} from "./session_update.ts";

/** A tool call of an agent or of a sub-agent. */
export interface LocatedCall extends DisplayedCall {
  /** Agent names, from the outermost agent to the agent that requests the call. */
  readonly path: readonly string[];
}

const PRIORITIES: ReadonlySet<unknown> = new Set(["high", "medium", "low"]);
const PLAN_STATUSES: ReadonlySet<unknown> = new Set(["pending", "in_progress", "completed"]);

/**
 * Encodes events. A run that continues after a permission, or that is taken over, repeats its
 * events; each response and each result is encoded once. The calls of sub-agents are encoded only
 * if the user is asked for a permission.
 */
export class UpdateEncoder {
  readonly #kindOf: (toolName: string) => AcpToolKind;
  /** Status of each tool call that the editor displays, keyed by the id in the editor. */
  readonly #calls = new Map<string, AcpToolStatus>();
  /** Tool calls for which the user is asked, whose status must not change meanwhile. */
  readonly #asking = new Set<string>();
  /** Iterations whose response has been encoded. */
  readonly #responses = new Set<number>();
  #messageId = "";
  #text = "";
  #reasoning = "";

  constructor(kindOf: (toolName: string) => AcpToolKind) {
    this.#kindOf = kindOf;
  }

  /** Returns the updates for an event. */
  encode(event: LoopEvent): readonly JsonObject[] {
    if (event.path.length > 1) return this.#encodeSubAgent(event);
    switch (event.type) {
      case "model_started":
        this.#startMessage();
        return [];
      case "text_delta":
        this.#text += event.text;
        return this.#toText("agent_message_chunk", event.text);
      case "reasoning_delta":
        this.#reasoning += event.reasoning;
        return this.#toText("agent_thought_chunk", event.reasoning);
      case "model_finished":
        return this.#encodeResponse(event.iteration, event.message);
      case "run_finished": {
        const { finalText, value } = event.output;
        // The value of an agent with an output schema can be the input of a tool call.
        if (value === undefined || finalText === this.#text) return [];
        return this.#toText("agent_message_chunk", finalText);
      }
      default:
        return this.#encodeCall(event);
    }
  }

  /** Returns the update that displays a tool call, or that changes its status. */
  announce({ path, ...call }: LocatedCall, status: AcpToolStatus): readonly JsonObject[] {
    const toolCallId = displayedId(path, call.toolCallId);
    const before = this.#calls.get(toolCallId);
    const isOver = before === "completed" || before === "failed";
    if (before === status || isOver || this.#asking.has(toolCallId)) return [];
    this.#calls.set(toolCallId, status);
    if (before !== undefined) return [{ sessionUpdate: "tool_call_update", toolCallId, status }];
    return [{ sessionUpdate: "tool_call", ...this.describe({ path, ...call }), status }];
  }

  /** Returns the updates that end the calls that have not ended. */
  endCalls(): readonly JsonObject[] {
    const open = [...this.#calls].filter(([, status]) =>
      status === "pending" || status === "in_progress"
    );
    return open.map(([toolCallId]) => {
      this.#calls.set(toolCallId, "failed");
      return { sessionUpdate: "tool_call_update", toolCallId, status: "failed" };
    });
  }

  /** Returns the members that describe a tool call. */
  describe({ path, ...call }: LocatedCall): JsonObject {
    const toolCallId = displayedId(path, call.toolCallId);
    return describeCall({ ...call, toolCallId }, this.#kindOf);
  }

  /** Keeps the status of a tool call until the returned function is called. */
  startAsking({ path, toolCallId }: LocatedCall): () => void {
    const id = displayedId(path, toolCallId);
    this.#asking.add(id);
    return () => void this.#asking.delete(id);
  }

  #encodeSubAgent(event: LoopEvent): readonly JsonObject[] {
    const call = "toolCall" in event
      ? event.toolCall
      : "toolResult" in event
      ? event.toolResult
      : undefined;
    const isDisplayed = call && this.#calls.has(displayedId(event.path, call.toolCallId));
    return isDisplayed ? this.#encodeCall(event) : [];
  }

  #encodeCall(event: LoopEvent): readonly JsonObject[] {
    const { path, type } = event;
    if (type === "tool_started") return this.announce({ ...event.toolCall, path }, "in_progress");
    if (type === "tool_progress") {
      const { progress, toolCallId } = event;
      const entries = readPlan(progress);
      if (entries !== undefined) return [{ sessionUpdate: "plan", entries }];
      const content = [toToolContent(toTextBlock(formatJson(progress)))];
      return [{ sessionUpdate: "tool_call_update", toolCallId, content }];
    }
    if (type !== "tool_finished") return [];
    const { toolCallId, toolName } = event.toolResult;
    const id = displayedId(path, toolCallId);
    const before = this.#calls.get(id);
    if (before === "completed" || before === "failed") return [];
    // A call that was not executed, for example of an unknown tool, was not announced.
    const announced = before === undefined
      ? this.announce({ path, toolCallId, toolName, input: undefined }, "pending")
      : [];
    this.#calls.set(id, event.toolResult.isError ? "failed" : "completed");
    return [...announced, toResultUpdate(id, event.toolResult)];
  }

  /**
   * Encodes the parts of a response that were not streamed. The last deltas are missing if the log
   * of the run is full. A text that differs from its deltas is another message; a reasoning that
   * differs, for example because it is encrypted, is omitted.
   */
  #encodeResponse(iteration: number, { content }: AssistantMessage): readonly JsonObject[] {
    if (this.#responses.has(iteration)) return [];
    this.#responses.add(iteration);
    const text = joinTexts(content, "text");
    const reasoning = joinTexts(content, "reasoning");
    const isOther = !text.startsWith(this.#text) && !this.#text.startsWith(text);
    if (isOther) this.#startMessage();
    const isThought = reasoning.startsWith(this.#reasoning);
    const sent = {
      text: this.#text.length,
      reasoning: isThought ? this.#reasoning.length : Infinity,
    };
    this.#text = text;
    return content.flatMap((part) => {
      if (part.type === "file") {
        return [toChunk("agent_message_chunk", toBlock(part), this.#messageId)];
      }
      if (part.type === "tool-call") return [];
      const rest = part.text.slice(sent[part.type]);
      sent[part.type] = Math.max(sent[part.type] - part.text.length, 0);
      return this.#toText(
        part.type === "text" ? "agent_message_chunk" : "agent_thought_chunk",
        rest,
      );
    });
  }

  #startMessage(): void {
    this.#messageId = crypto.randomUUID();
    this.#text = "";
    this.#reasoning = "";
  }

  #toText(
    kind: "agent_message_chunk" | "agent_thought_chunk",
    text: string,
  ): readonly JsonObject[] {
    return text === "" ? [] : [toChunk(kind, toTextBlock(text), this.#messageId)];
  }
}

/** Joins the texts of the parts with a type. */
function joinTexts(content: AssistantMessage["content"], type: "text" | "reasoning"): string {
  return content.map((part) => part.type === type ? part.text : "").join("");
}

/**
 * Returns the id of a tool call in the editor. Ids are unique in the conversation of an agent, so
 * the ids of sub-agents contain the path.
 */
function displayedId(path: readonly string[], toolCallId: string): string {
  return [...path.slice(1), toolCallId].join("/");
}

/** Reads the entries of a plan that a tool reports. Returns `undefined` for other progress. */
function readPlan(progress: JsonValue): readonly JsonObject[] | undefined {
  if (!isRecord(progress) || progress.type !== "plan" || !Array.isArray(progress.entries)) {
    return undefined;
  }
  const entries: JsonObject[] = [];
  for (const entry of progress.entries) {
    const { content, priority = "medium", status = "pending" } = isRecord(entry) ? entry : {};
    const isEntry = typeof content === "string" && PRIORITIES.has(priority) &&
      PLAN_STATUSES.has(status);
    if (!isEntry) return undefined;
    entries.push({ content, priority: String(priority), status: String(status) });
  }
  return entries;
}
