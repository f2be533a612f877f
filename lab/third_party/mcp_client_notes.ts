/**
 * Notes on the failing cases of third-party MCP clients.
 *
 * @module
 */

import type { SharedNote } from "./shared_note.ts";

const LEGACY_CLIENTS = [
  "sdk-v1-client",
  "sdk-v2-client-2025-11-25",
  "ai-sdk-client-2025-11-25",
  "openai-agents-client",
] as const;
const CLIENTS_WITHOUT_SESSION_RENEWAL = [
  "sdk-v1-client",
  "sdk-v2-client-2025-11-25",
  "ai-sdk-client-2025-11-25",
] as const;
/** Clients that ignore invalid responses. */
const IGNORING_CLIENTS = LEGACY_CLIENTS.filter((name) => name !== "openai-agents-client");
const MCP_USE = "mcp-use-client-2025-11-25";
const JAVA_CLIENT = "java-sdk-client-2025-11-25";
const MODERN_CLIENTS = ["sdk-v2-client-2026-07-28", "ai-sdk-client-2026-07-28"] as const;

/** Notes on the clients' failing cases. */
export const CLIENT_NOTES: readonly SharedNote[] = [
  {
    text: "An invalid response is ignored: the call waits until its timeout, if it has one.",
    failing: {
      "mcp/client/malformed-response-*": [
        ...IGNORING_CLIENTS,
        "python-sdk-client-2025-11-25",
        MCP_USE,
      ],
    },
  },
  {
    text: "A progress notification that arrives in the same chunk as the response is lost.",
    failing: {
      "mcp/client-features/progress-right-before-the-answer": [
        "sdk-v1-client",
        "sdk-v2-client-2025-11-25",
      ],
      "mcp/client-features/newer-progress-right-before-the-answer": ["sdk-v2-client-2026-07-28"],
    },
  },
  {
    text: "A call fails if the result contains content of an unknown type.",
    failing: {
      "mcp/client-features/content-of-unknown-type": [
        "python-sdk-client-2025-11-25",
        MCP_USE,
        JAVA_CLIENT,
        "sdk-v1-client",
        "sdk-v2-client-2025-11-25",
        "openai-agents-client",
      ],
    },
  },
  {
    text: "A call that times out sends no `notifications/cancelled`.",
    failing: {
      "mcp/client-features/time-out-cancels": ["ai-sdk-client-2025-11-25", JAVA_CLIENT, MCP_USE],
      "mcp/client-features/newer-time-out-cancels": ["ai-sdk-client-2026-07-28"],
    },
  },
  {
    text:
      "If an HTTP response ends without a JSON-RPC response, the call waits until its timeout, if it has one.",
    failing: {
      "mcp/client-http/bad-*": [...IGNORING_CLIENTS, JAVA_CLIENT],
      "mcp/client-http/nothing-to-go-back-to": [...LEGACY_CLIENTS, JAVA_CLIENT],
      "mcp/client-http/newer-broken-stream": MODERN_CLIENTS,
    },
  },
  {
    text: "A request's stream is not resumed after an interruption.",
    failing: { "mcp/client-http/goes-back*": ["ai-sdk-client-2025-11-25", JAVA_CLIENT] },
  },
  {
    text: "A call fails if its session is lost; the client does not open a new session.",
    failing: {
      "mcp/client-http/new-session": [
        ...CLIENTS_WITHOUT_SESSION_RENEWAL,
        "go-sdk-client-2025-11-25",
        "python-sdk-client-2025-11-25",
      ],
      "mcp/client-http/lost-session": [
        ...CLIENTS_WITHOUT_SESSION_RENEWAL,
        "python-sdk-client-2025-11-25",
      ],
      "mcp/client-http/lost-session-while-resuming": ["python-sdk-client-2025-11-25"],
    },
  },
  {
    text: "A modern result without `resultType` is rejected.",
    failing: {
      "mcp/client/absent-result-type": [
        ...MODERN_CLIENTS,
        "python-sdk-client-2026-07-28",
        "python-fastmcp-client-2026-07-28",
      ],
    },
  },
  {
    text: "A result of an unknown type is accepted as complete.",
    failing: {
      "mcp/client/unknown-result-type": [
        "ai-sdk-client-2026-07-28",
        "go-sdk-client-2026-07-28",
        "rust-sdk-client-2026-07-28",
      ],
    },
  },
  {
    text:
      "The parser of event streams does not implement the HTML standard: unknown fields, for example, are errors.",
    failing: {
      "mcp/client-http/stream-*": ["go-sdk-client-2025-11-25", "rust-sdk-client-2025-11-25"],
    },
  },
  {
    text: "An event stream that starts with a byte order mark loses its first event.",
    failing: { "mcp/client-http/stream-byte-order-mark": ["python-sdk-client-2025-11-25"] },
  },
  {
    text:
      "The body of an HTTP response is treated as the response to the request, even if its id is different or null.",
    failing: {
      "mcp/client/other-id-is-ignored": ["python-sdk-client-2025-11-25"],
      "mcp/client-features/error-with-null-id": ["python-sdk-client-2025-11-25"],
    },
  },
  {
    text:
      "An event stream that starts with a byte order mark loses its first event, and an incomplete event at the end of a stream is accepted.",
    failing: { "mcp/client-http/stream-*": [JAVA_CLIENT] },
  },
  {
    text:
      "The host function receives the URL and responds, because the library leaves URL checks to the host.",
    failing: {
      "mcp/client-features/url-that-is-no-web-page": [
        "python-sdk-client-2025-11-25",
        JAVA_CLIENT,
        "go-sdk-client-2025-11-25",
        "rust-sdk-client-2025-11-25",
      ],
    },
  },
  {
    text:
      "An incomplete result without input requests is returned to the caller, which the protocol allows.",
    failing: { "mcp/client-features/state-alone": ["go-sdk-client-2026-07-28"] },
  },
  {
    text: "A name that is not ASCII is not encoded in the `Mcp-Name` header.",
    failing: { "mcp/client-http/newer-name-in-base64": ["go-sdk-client-2026-07-28"] },
  },
  {
    text: "A tool that declares `x-mcp-header` for an array item stays in the list.",
    failing: { "mcp/client-http/wrong-in-a-list": ["go-sdk-client-2026-07-28"] },
  },
  {
    text: "The client tries to resume an interrupted stream with GET.",
    failing: { "mcp/client-http/newer-broken-stream": ["rust-sdk-client-2026-07-28"] },
  },
  {
    text: "An empty cursor ends a list, and a repeated cursor does not.",
    failing: {
      "mcp/client-features/empty-cursor": [JAVA_CLIENT],
      "mcp/client/repeated-cursor-ends": [JAVA_CLIENT],
    },
  },
  {
    text:
      "A malformed message or the end of the connection does not end a call, which waits until its timeout.",
    failing: {
      "mcp/client/malformed-response-*": [JAVA_CLIENT],
      "mcp/client/rubbish-between-messages": [JAVA_CLIENT],
      "mcp/client/end-of-the-connection": [JAVA_CLIENT],
      "mcp/client-sse/end-of-the-stream": [JAVA_CLIENT],
    },
  },
  {
    text: "The HTTP transport does not fall back to the older HTTP+SSE transport.",
    failing: { "mcp/client-sse/falls-back-*": [JAVA_CLIENT] },
  },
  {
    text: "A list request that fails returns an empty list, and the error is only logged.",
    failing: {
      "mcp/client/error-response": [MCP_USE],
      "mcp/client/end-of-the-connection": [MCP_USE],
    },
  },
  {
    text: "A server request with an unknown method receives the error -32602 instead of -32601.",
    failing: { "mcp/client/unknown-server-request": [MCP_USE] },
  },
];
