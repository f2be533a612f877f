/// <reference lib="dom" />
/**
 * A chat page that can be reloaded in the middle of an answer. The id of the chat is the query
 * parameter `id`.
 *
 * @module
 */

import { useChat } from "@ai-sdk/react";
import {
  DefaultChatTransport,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
} from "ai";
import { type ReactElement, useState } from "react";
import { createRoot } from "react-dom/client";

const api = "/chat";
const id = new URLSearchParams(location.search).get("id") ?? "chat";

function Chat({ stored }: { readonly stored: UIMessage[] }): ReactElement {
  const [text, setText] = useState("");
  const { addToolApprovalResponse, error, messages, sendMessage, status, stop } = useChat({
    id,
    messages: stored,
    resume: true,
    transport: new DefaultChatTransport({ api }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const stopRun = async (): Promise<void> => {
    await fetch(`${api}/${encodeURIComponent(id)}/stop`, { method: "POST" });
    await stop();
  };
  return (
    <main data-status={status}>
      {messages.map(({ id, role, parts }) => (
        <section key={id} id={id} className={role}>
          {parts.map((part, index) => {
            if (part.type === "text") return <p key={index}>{part.text}</p>;
            if (!isToolUIPart(part)) return null;
            return (
              <div key={index} data-state={part.state}>
                <code>{part.type}</code>
                {part.state === "approval-requested" && (
                  <button
                    type="button"
                    onClick={() =>
                      addToolApprovalResponse({ id: part.approval.id, approved: true })}
                  >
                    Approve
                  </button>
                )}
              </div>
            );
          })}
        </section>
      ))}
      {error && <p role="alert">{error.message}</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void sendMessage({ text });
          setText("");
        }}
      >
        <input
          aria-label="Message"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <button type="submit">Send</button>
        <button type="button" onClick={stopRun}>Stop</button>
      </form>
    </main>
  );
}

const response = await fetch(`${api}/${encodeURIComponent(id)}`);
const { messages }: { messages: UIMessage[] } = await response.json();
const root = document.getElementById("root");
if (root) createRoot(root).render(<Chat stored={messages} />);
