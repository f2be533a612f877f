/**
 * A viewer for a program that emits events and asks for decisions.
 *
 * @module
 */

import { type Decision, serveViewer } from "./server.ts";

/** Options for {@linkcode openViewer}. */
export interface OpenViewerOptions {
  /** Title of the page. */
  readonly title: string;
  /** Text below the title. */
  readonly note?: string;
  /** Closes the viewer, and rejects the pending decisions with the signal's reason. */
  readonly signal: AbortSignal;
  /** Port on 127.0.0.1. The default 0 selects an unused port. @default {0} */
  readonly port?: number;
}

/** A tool call that a person decides on, such as an `ApprovalRequest` from `@parley/runtime`. */
export interface ViewerApproval {
  readonly agentName: string;
  readonly runId: string;
  readonly toolCall: {
    readonly toolCallId: string;
    readonly toolName: string;
    readonly input: unknown;
  };
}

/** A viewer that receives events one by one. */
export interface OpenViewer {
  /** Address of the page, with the token. */
  readonly url: string;
  /** Shows an event; see `tools/viewer/README.md`. */
  emit(event: unknown): void;
  /** Asks on the page whether to approve a tool call. Rejects when the viewer is closed. */
  approve(approval: ViewerApproval): Promise<boolean>;
  /** Marks the events as complete. Resolves when the signal is aborted and the server is closed. */
  finish(): Promise<void>;
}

/** Opens a viewer. */
export function openViewer(options: OpenViewerOptions): OpenViewer {
  const { title, note, signal, port } = options;
  const events = new TransformStream<unknown, unknown>(undefined, { highWaterMark: Infinity });
  const writer = events.writable.getWriter();
  const emit = (event: unknown): void => {
    writer.write(event).catch(() => {}); // Events emitted after `finish()` are not shown.
  };
  const pending = new Map<string, (decision: Decision) => void>();
  const decide = (key: string, decision: Decision): boolean => {
    const settle = pending.get(key);
    settle?.(decision);
    return pending.delete(key);
  };
  const server = serveViewer({ events: events.readable, decide, signal, ...port && { port } });
  emit({ type: "page", at: Date.now(), title, note });
  return { url: server.url, emit, approve, finish };

  async function approve({ agentName, runId, toolCall }: ViewerApproval): Promise<boolean> {
    signal.throwIfAborted();
    const key = crypto.randomUUID();
    const { promise, resolve, reject } = Promise.withResolvers<Decision>();
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    pending.set(key, resolve);
    const { toolCallId, toolName, input } = toolCall;
    const call = { agent: agentName, runId, toolCallId, toolName, input };
    emit({ type: "decision_needed", at: Date.now(), key, ...call });
    try {
      return await promise === "approve";
    } finally {
      pending.delete(key);
      signal.removeEventListener("abort", onAbort);
    }
  }

  async function finish(): Promise<void> {
    await writer.close();
    if (!signal.aborted) {
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    }
    await server.close();
  }
}
