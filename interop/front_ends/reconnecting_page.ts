/**
 * The page of the guide "Build a chat server" without a browser.
 *
 * @module
 */

import { DefaultChatTransport } from "ai";
import { MemoryChat } from "./chat.ts";

/** A page with the functions of the guide's page. */
export class ReconnectingPage extends MemoryChat {
  /** Number of times that the page has requested the stored messages. */
  reloads = 0;
  readonly #api: string;

  constructor(api: string) {
    super({
      id: "chat",
      transport: new DefaultChatTransport({ api }),
      onFinish: ({ finishReason }) => {
        if (finishReason === undefined) setTimeout(() => void this.#reload(), 10);
      },
    });
    this.#api = api;
  }

  /** Texts of the messages. */
  get texts(): readonly string[] {
    return this.messages.map(({ parts }) =>
      parts.map((part) => part.type === "text" ? part.text : "").join("")
    );
  }

  async #reload(): Promise<void> {
    this.reloads++;
    try {
      const response = await fetch(`${this.#api}/${this.id}`);
      if (!response.ok) throw new Error(await response.text());
      const { messages, status } = await response.json();
      this.messages = messages;
      if (status !== "idle") await this.resumeStream();
    } catch {
      setTimeout(() => void this.#reload(), 10);
    }
  }
}
