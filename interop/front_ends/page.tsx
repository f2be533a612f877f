/// <reference lib="dom" />
/**
 * A chat page with `useChat`, tool calls and approvals.
 *
 * @module
 */

import { useChat } from "@ai-sdk/react";
import { isToolUIPart, lastAssistantMessageIsCompleteWithApprovalResponses } from "ai";
import { type ReactElement, useState } from "react";
import { createRoot } from "react-dom/client";

function Chat(): ReactElement {
  const [text, setText] = useState("");
  const { addToolApprovalResponse, error, messages, sendMessage, status } = useChat({
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  return (
    <main data-status={status}>
      {messages.map(({ id, role, parts }) => (
        <section key={id} className={role}>
          {parts.map((part, index) => {
            if (part.type === "text") return <p key={index}>{part.text}</p>;
            if (!isToolUIPart(part)) return null;
            return (
              <div key={index} className={part.type} data-state={part.state}>
                <code>{part.type} {JSON.stringify(part.input)}</code>
                {part.state === "output-available" && (
                  <output>{JSON.stringify(part.output)}</output>
                )}
                {part.state === "approval-requested" &&
                  [true, false].map((approved) => (
                    <button
                      key={String(approved)}
                      type="button"
                      onClick={() => addToolApprovalResponse({ id: part.approval.id, approved })}
                    >
                      {approved ? "Approve" : "Deny"}
                    </button>
                  ))}
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
      </form>
    </main>
  );
}

const root = document.getElementById("root");
if (root) createRoot(root).render(<Chat />);
