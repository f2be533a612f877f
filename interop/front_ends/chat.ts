/**
 * A chat without a browser: the AI SDK's chat and transport, connected to a server on loopback.
 *
 * @module
 */

import {
  AbstractChat,
  type ChatInit,
  type ChatState,
  type ChatStatus,
  DefaultChatTransport,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
} from "ai";
import { within } from "../check.ts";

/** A chat that keeps its state in memory. */
export class MemoryChat extends AbstractChat<UIMessage> {
  constructor(init: ChatInit<UIMessage>) {
    super({ ...init, state: createState() });
  }

  /** Returns the ids of the pending approval requests. */
  get openApprovals(): readonly string[] {
    return this.messages.flatMap(({ parts }) =>
      parts.flatMap((part) =>
        isToolUIPart(part) && part.state === "approval-requested" ? [part.approval.id] : []
      )
    );
  }
}

function createState(): ChatState<UIMessage> {
  const state: ChatState<UIMessage> = {
    status: "ready" satisfies ChatStatus,
    error: undefined,
    messages: [],
    pushMessage: (message) => {
      state.messages = [...state.messages, message];
    },
    popMessage: () => {
      state.messages = state.messages.slice(0, -1);
    },
    replaceMessage: (index, message) => {
      state.messages = state.messages.with(index, message);
    },
    snapshot: (value) => structuredClone(value),
  };
  return state;
}

/** A server on loopback and a chat that uses it. */
export interface ChatFixture extends AsyncDisposable {
  /** The chat. */
  readonly chat: MemoryChat;
  /** Bodies of the requests. */
  readonly bodies: readonly unknown[];
  /** Transient parts that the chat has received. */
  readonly transient: readonly unknown[];
  /** Resolves when the chat has received the next response. */
  settled(): Promise<void>;
}

/**
 * Starts a server whose chat route is `handler`. The chat sends decisions on approvals
 * automatically.
 */
export function startChat(
  handler: (body: unknown, request: Request) => Response | Promise<Response>,
): ChatFixture {
  const bodies: unknown[] = [];
  const transient: unknown[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const body: unknown = await request.json();
      bodies.push(body);
      return await handler(body, request);
    },
  );
  let finished = Promise.withResolvers<void>();
  const chat = new MemoryChat({
    id: "chat-1",
    transport: new DefaultChatTransport({ api: `http://127.0.0.1:${server.addr.port}/chat` }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    onData: (part) => {
      transient.push(part);
    },
    onFinish: () => {
      finished.resolve();
      finished = Promise.withResolvers();
    },
  });
  return {
    chat,
    bodies,
    transient,
    settled: () => within(10_000, "the chat", finished.promise),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
