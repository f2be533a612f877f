/**
 * A browser tab without a browser, with the client from `@ag-ui/client`.
 *
 * @module
 */

import { HttpAgent, runHttpRequest, transformHttpEventStream } from "@ag-ui/client";
import type { BaseEvent, Message, RunAgentInput } from "@ag-ui/core";
import { until } from "./chat_tabs.ts";

/** A page with a conversation, as in one tab of a browser. */
export class AgentTab extends HttpAgent {
  /** Resolves when the page has received the run that it asked for after it was loaded. */
  connected: Promise<unknown> = Promise.resolve();
  /** Events of the responses. */
  readonly events: BaseEvent[] = [];
  /** Error of the last response that has failed. */
  failure: Error | undefined;

  constructor(origin: string, threadId: string) {
    super({ url: `${origin}/agent`, threadId });
    this.subscribe({
      onEvent: ({ event }) => {
        this.events.push(event);
      },
      onRunFailed: ({ error, messages }) => {
        this.failure = error;
        // Otherwise, the client prints the error and rejects.
        const handled = { messages: structuredClone([...messages]), stopPropagation: true };
        return handled;
      },
    });
  }

  /** Opens a page, which knows only the id of the conversation. */
  static open(origin: string, threadId: string): AgentTab {
    const tab = new AgentTab(origin, threadId);
    tab.connected = tab.connectAgent();
    return tab;
  }

  protected override connect({ threadId }: RunAgentInput): ReturnType<HttpAgent["run"]> {
    this.abortController = new AbortController();
    const { abortController: { signal }, headers } = this;
    const url = `${this.url}/${encodeURIComponent(threadId)}/stream`;
    return transformHttpEventStream(runHttpRequest(() => fetch(url, { headers, signal })));
  }

  /** Sends a message, and resolves when the response has ended. */
  async send(content: string): Promise<void> {
    this.addMessage({ id: crypto.randomUUID(), role: "user", content });
    await this.runAgent();
  }

  /** Approves or denies the tool call that waits. */
  async decide(approved: boolean): Promise<void> {
    const [interrupt] = this.pendingInterrupts;
    const interruptId = interrupt?.id ?? "";
    const payload = { approved, ...!approved && { reason: "too expensive" } };
    await this.runAgent({ resume: [{ interruptId, status: "resolved", payload }] });
  }

  /** Requests that the run is stopped. */
  async stopRun(): Promise<unknown> {
    return await (await fetch(`${this.#session}/stop`, { method: "POST" })).json();
  }

  /** Requests the stored conversation. */
  async load(): Promise<{ readonly status: string; readonly messages: readonly Message[] }> {
    return await (await fetch(this.#session)).json();
  }

  get #session(): string {
    return `${this.url}/${encodeURIComponent(this.threadId)}`;
  }

  /** Text of the newest message. */
  get text(): string {
    return String(this.messages.at(-1)?.content ?? "");
  }

  /** Role and content of all messages. */
  get lines(): readonly string[] {
    return this.messages.map(({ content, role }) => `${role}: ${content ?? ""}`);
  }

  /** Type of the last event. */
  get last(): string | undefined {
    return this.events.at(-1)?.type;
  }

  /** Waits until the text of the newest message contains a text. */
  async shows(text: string): Promise<void> {
    await until(`the text "${text}"`, () => this.text.includes(text));
  }
}
