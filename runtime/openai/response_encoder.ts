/**
 * Converts the output of a run to the items of a response, and to the events of a stream.
 *
 * @see https://platform.openai.com/docs/api-reference/responses-streaming
 * @module
 */

import { digestOfJson } from "../loop/decisions.ts";
import type { RunWait } from "../runs/run_record.ts";
import type { UiErrors } from "../ui/front_end.ts";
import { runFailed, unsupported } from "./api_error.ts";
import { finishReasonOf } from "./chat_response.ts";
import {
  formatResponse,
  type OutputItem,
  type OutputText,
  type ResponseHead,
  type ResponseState,
} from "./response_object.ts";
import type { RunEnd, RunOutput } from "./run_output.ts";

/** An event of a stream, without its number. */
type EventBody = { readonly type: string } & Readonly<Record<string, unknown>>;

/** An event of a stream. */
export type ResponseEvent = EventBody & { readonly sequence_number: number };

/** Returns the id of the item that requests a decision. */
export async function approvalIdOf(key: string): Promise<string> {
  return `mcpr_${await digestOfJson([key])}`;
}

/** Returns true if a response ends with requests for decisions when its run waits. */
export function hasApprovals(waits: readonly RunWait[]): boolean {
  return waits.some(({ kind }) => kind === "approval");
}

/** Encodes one response. */
export class ResponseEncoder {
  readonly #head: ResponseHead;
  readonly #output: RunOutput;
  readonly #errors: Pick<UiErrors, "mask">;
  /** All items that were sent. */
  readonly #items: OutputItem[] = [];
  #text = "";
  #sequence = 0;
  #state: ResponseState = { status: "in_progress", output: [] };

  constructor(head: ResponseHead, output: RunOutput, errors: Pick<UiErrors, "mask">) {
    this.#head = head;
    this.#output = output;
    this.#errors = errors;
  }

  /** The state after the events that were read. */
  get state(): ResponseState {
    return this.#state;
  }

  /**
   * Yields the events of the response. Their numbers start with 0 in each stream of the response,
   * so a client can resume after a number. If another process has taken over the run in the
   * meantime, the client may receive a part of the text twice; the last event contains the correct
   * output.
   *
   * @param after Number of the last event that the client has received. The last event is always
   * sent.
   * @throws {ApiError} If the response waits for a decision, and is not stored.
   */
  async *events(after: number = -1): AsyncGenerator<ResponseEvent, void> {
    for await (const body of this.#bodies()) {
      const event = { ...body, sequence_number: this.#sequence++ };
      if (event.sequence_number > after) yield event;
    }
    const last = Math.max(this.#sequence, after + 1);
    const { status } = this.#state;
    const type = status === "cancelled" ? "response.failed" : `response.${status}`;
    yield { type, response: formatResponse(this.#head, this.#state), sequence_number: last };
  }

  /**
   * Reads the response to its end.
   *
   * @throws {ApiError} If the response waits for a decision, and is not stored.
   */
  async read(): Promise<ResponseState> {
    for await (const _ of this.#bodies());
    return this.#state;
  }

  async *#bodies(): AsyncGenerator<EventBody, void> {
    const response = formatResponse(this.#head, this.#state);
    yield { type: "response.created", response };
    yield { type: "response.in_progress", response };
    for await (const part of this.#output.parts()) {
      if (part.type === "text") {
        if (part.isFirst) yield* this.#begin();
        this.#text += part.text;
        yield { ...this.#place("response.output_text.delta"), delta: part.text, logprobs: [] };
      } else if (part.type === "text_end") {
        yield* this.#complete(part.isComplete);
      }
    }
    const { end } = this.#output;
    if (end?.status === "waiting" && !this.#head.isStored) throw undecidable();
    if (end?.status === "waiting") yield* this.#request(end.waits);
    this.#state = this.#toState(end);
  }

  *#begin(): Generator<EventBody, void> {
    this.#text = "";
    const index = this.#items.length;
    const item: OutputItem = {
      type: "message",
      id: `msg_${index}_${this.#head.id}`,
      status: "in_progress",
      role: "assistant",
      content: [],
    };
    this.#items.push(item);
    yield { type: "response.output_item.added", output_index: index, item };
    yield { ...this.#place("response.content_part.added"), part: toText("") };
  }

  *#complete(isComplete: boolean): Generator<EventBody, void> {
    const index = this.#items.length - 1;
    const open = this.#items[index];
    if (open?.type !== "message") return;
    const part = toText(this.#text);
    const item: OutputItem = {
      ...open,
      status: isComplete ? "completed" : "incomplete",
      content: [part],
    };
    this.#items[index] = item;
    yield { ...this.#place("response.output_text.done"), text: this.#text, logprobs: [] };
    yield { ...this.#place("response.content_part.done"), part };
    yield { type: "response.output_item.done", output_index: index, item };
  }

  /** Sends the tool calls that wait for a decision. */
  async *#request(waits: readonly RunWait[]): AsyncGenerator<EventBody, void> {
    for (const wait of waits) {
      if (wait.kind !== "approval") continue;
      const item: OutputItem = {
        type: "mcp_approval_request",
        id: await approvalIdOf(wait.key),
        server_label: wait.path.join("/"),
        name: wait.toolName,
        arguments: JSON.stringify(wait.input),
      };
      const index = this.#items.push(item) - 1;
      yield { type: "response.output_item.added", output_index: index, item };
      yield { type: "response.output_item.done", output_index: index, item };
    }
  }

  /** Returns the members that name the current text. */
  #place(type: string): EventBody {
    const index = this.#items.length - 1;
    return { type, item_id: this.#items[index]?.id, output_index: index, content_index: 0 };
  }

  #toState(end: RunEnd | undefined): ResponseState {
    const output = this.#finalItems();
    switch (end?.status) {
      case undefined:
        return { status: "in_progress", output };
      case "waiting":
        return { status: "completed", output, ...end.usage && { usage: end.usage } };
      case "cancelled":
        return { status: "cancelled", output };
      case "failed":
        return { status: "failed", output, error: runFailed(this.#errors.mask(end.error)).body };
      case "done": {
        const reason = finishReasonOf(end.stopReason);
        const { usage } = end;
        if (reason === "stop") return { status: "completed", output, usage };
        const incompleteReason = reason === "length" ? "max_output_tokens" : reason;
        return { status: "incomplete", output, usage, incompleteReason };
      }
    }
  }

  /** Returns the items without the texts of attempts that were repeated. */
  #finalItems(): readonly OutputItem[] {
    const lastIndex = this.#items.length - 1;
    return this.#items.filter((item, index) =>
      item.type !== "message" || item.status === "completed" || index === lastIndex
    );
  }
}

/** Returns the error for a decision that no request can contain. */
function undecidable(): Error {
  return unsupported("store", "a tool needs an approval, and only a stored response continues");
}

function toText(text: string): OutputText {
  return { type: "output_text", text, annotations: [], logprobs: [] };
}
