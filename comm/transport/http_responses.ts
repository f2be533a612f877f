/**
 * Replies in the responses to the POST requests of this agent.
 *
 * @module
 */

import type { AgentCommMessage } from "../message/message.ts";
import { BoundedQueue } from "@parley/internal/bounded-queue";
import { Quota } from "@parley/internal/quota";
import { startDeadline } from "@parley/internal/deadline";
import { CommError, timedOut } from "../shared/error.ts";
import { tooManyInvalid, tooManyResponses } from "./http_error.ts";
import { readLines } from "./http_lines.ts";
import type { HttpLimits } from "./http_options.ts";

/** Options for {@linkcode HttpResponses}. */
export interface HttpResponsesInit {
  readonly limits: HttpLimits;
  /** Maximum share of the capacity per recipient of requests. */
  readonly share: number;
  /** Aborted when the transport is closed. */
  readonly closed: AbortSignal;
  /** Called after a line has been queued. */
  readonly onQueued: () => void;
  readonly report: (error: unknown) => void;
}

/** A line of a response, or the error for a line that is too large. */
export interface ReplyLine {
  readonly line: Uint8Array | CommError;
  readonly source: ResponseSource;
}

/** A response that is being read. */
interface ResponseSource {
  /** The message that the response replies to. */
  readonly sent: AgentCommMessage;
  readonly stopping: AbortController;
  /** Whether no further reply is needed. The lines that are queued are then dropped. */
  isFinished: boolean;
  timer: ReturnType<typeof setTimeout> | undefined;
  invalid: number;
}

/**
 * Time for the end of a response to arrive after its last reply, in milliseconds. Its connection
 * can then be used for another request.
 */
const END_MS = 1000;

/** Maximum number of lines in one response that are not replies to its message. */
const MAX_INVALID_LINES = 10;

/**
 * Message type of a reply that is followed by more replies. A reply that is not an update is the
 * last reply to its message.
 */
const UPDATE = "update";

/**
 * The responses that are being read. Their lines have a queue of their own, so that a server that
 * sends many lines does not use the capacity for received requests. If the queue is full, the
 * responses take turns, and are not read in the meantime.
 */
export class HttpResponses {
  readonly #init: HttpResponsesInit;
  /** Number of responses that are being read, by recipient of the request. */
  readonly #open: Quota;
  readonly #sources = new Map<string, ResponseSource>();
  readonly #reading = new Set<Promise<void>>();
  readonly #lines: BoundedQueue<ReplyLine>;

  constructor(init: HttpResponsesInit) {
    const { limits: { capacity, maxQueuedBytes }, share } = init;
    this.#init = init;
    this.#open = new Quota(capacity, share);
    this.#lines = new BoundedQueue({
      capacity,
      maxBytes: maxQueuedBytes,
      sizeOf: ({ line }) => line instanceof Uint8Array ? line.length : 0,
    });
  }

  /** Whether a response to a message for the recipient can be read. */
  hasCapacity(recipient: string): boolean {
    return this.#open.has(1, recipient);
  }

  /** Creates the error for a response that cannot be read. */
  full(recipient: string): CommError {
    return tooManyResponses(recipient, this.#init.limits.capacity);
  }

  /** Starts to read the response to a message. */
  read(response: Response, sent: AgentCommMessage): void {
    const { recipient } = sent;
    const state = { isFinished: false, timer: undefined, invalid: 0 };
    const source: ResponseSource = { sent, stopping: new AbortController(), ...state };
    const key = keyOf(sent);
    this.#open.take(1, recipient);
    this.#sources.set(key, source);
    const reading = this.#read(response, source).finally(() => {
      clearTimeout(source.timer);
      this.#open.take(-1, recipient);
      if (this.#sources.get(key) === source) this.#sources.delete(key);
      this.#reading.delete(reading);
    });
    this.#reading.add(reading);
  }

  /** Removes the oldest line that is still needed. */
  shift(): ReplyLine | undefined {
    const item = this.#lines.tryShift();
    return item?.source.isFinished === true ? undefined : item;
  }

  /**
   * Checks a message that a line contains. Reading the response ends after its last reply, and
   * after {@linkcode MAX_INVALID_LINES} lines that are not replies to its message.
   */
  check({ source }: ReplyLine, message: AgentCommMessage | CommError): void {
    const { sent, stopping } = source;
    const isReply = !(message instanceof CommError) && message.correlationId === sent.id;
    if (isReply) {
      if (message.messageType !== UPDATE) finish(source);
    } else if (++source.invalid >= MAX_INVALID_LINES) {
      source.isFinished = true;
      stopping.abort();
      this.#init.report(tooManyInvalid(sent.recipient, MAX_INVALID_LINES));
    }
  }

  /** Ends reading the response to a message, because no further reply is needed. */
  stop(sent: AgentCommMessage): void {
    const source = this.#sources.get(keyOf(sent));
    if (source !== undefined) finish(source);
  }

  /** Discards the lines that are queued. */
  cancel(): void {
    this.#lines.cancel();
  }

  /** Waits until no response is being read. */
  async settle(): Promise<void> {
    await Promise.all(this.#reading);
  }

  /** Queues the lines of a response. The returned promise never rejects. */
  async #read(response: Response, source: ResponseSource): Promise<void> {
    const { limits, closed, onQueued, report } = this.#init;
    const { replyTimeoutMs: timeoutMs, maxBodyBytes: maxBytes } = limits;
    const { signal: stopped } = source.stopping;
    const deadline = startDeadline([closed, stopped], {
      timeoutMs,
      reason: () => timedOut("read replies", timeoutMs),
    });
    const { signal } = deadline;
    const lineLimits = { maxBytes, maxTotalBytes: limits.maxResponseBytes, signal };
    try {
      for await (const line of readLines(response.body, lineLimits)) {
        if (source.isFinished) break;
        const item = { line: line instanceof Uint8Array ? line.slice() : line, source };
        // If the queue is full, the response is not read, so the server waits.
        if (this.#lines.tryPush(item) === "full") await this.#lines.waitToPush(item, signal);
        onQueued();
      }
    } catch (error) {
      if (!closed.aborted && !stopped.aborted) report(error);
    } finally {
      deadline.stop();
    }
  }
}

function finish(source: ResponseSource): void {
  source.isFinished = true;
  source.timer ??= setTimeout(() => source.stopping.abort(), END_MS);
}

function keyOf({ recipient, id }: AgentCommMessage): string {
  return `${recipient} ${id}`;
}
