/// <reference lib="dom" />
/**
 * A page with the client from `@ag-ui/client` that can be reloaded in the middle of a response.
 *
 * @module
 */

import { HttpAgent, runHttpRequest, transformHttpEventStream } from "@ag-ui/client";
import type { RunAgentInput } from "@ag-ui/core";

class ChatAgent extends HttpAgent {
  protected override connect({ threadId }: RunAgentInput): ReturnType<HttpAgent["run"]> {
    const url = `${this.url}/${encodeURIComponent(threadId)}/stream`;
    return transformHttpEventStream(runHttpRequest(() => fetch(url)));
  }
}

const root = document.createElement("main");
document.body.append(root);
const form = document.createElement("form");
form.innerHTML = '<input aria-label="Message"><button type="submit">Send</button>';
document.body.append(form);

const threadId = new URLSearchParams(location.search).get("id") ?? "chat";
const agent = new ChatAgent({ url: new URL("/agent", location.href).href, threadId });

function show(): void {
  root.replaceChildren(...agent.messages.map(({ content, id, role }) => {
    const section = document.createElement("section");
    section.id = id;
    section.className = role;
    section.innerHTML = "<p></p>";
    section.firstElementChild?.append(String(content ?? ""));
    return section;
  }));
}

async function run(start: () => Promise<unknown>): Promise<void> {
  root.dataset.status = "streaming";
  try {
    await start();
    root.dataset.status = "ready";
  } catch {
    root.dataset.status = "error";
  }
}

agent.subscribe({ onMessagesChanged: show });
form.addEventListener("submit", (event) => {
  event.preventDefault();
  const content = form.querySelector("input")?.value ?? "";
  agent.addMessage({ id: crypto.randomUUID(), role: "user", content });
  void run(() => agent.runAgent());
});
void run(() => agent.connectAgent());
