/**
 * Notes on the failing cases of third-party MCP servers and clients.
 *
 * @module
 */

import type { Note } from "./subject.ts";

/** A note that applies to several subjects. */
interface SharedNote {
  readonly text: string;
  /** Names of the subjects that fail, keyed by case id or pattern. */
  readonly failing: Readonly<Record<string, readonly string[]>>;
}

const OFFICIAL_STDIO = [
  "server-everything-stdio",
  "server-filesystem",
  "server-memory",
  "server-sequential-thinking",
] as const;
const OFFICIAL = [...OFFICIAL_STDIO, "server-everything-http"] as const;
const KUBERNETES_STDIO = ["kubernetes-stdio-2025-11-25", "kubernetes-stdio-2026-07-28"] as const;
const SDK_V2 = ["sdk-v2-server-2025-11-25", "sdk-v2-server-2026-07-28"] as const;
const FASTMCP = ["fastmcp-stdio", "fastmcp-http"] as const;
/** Stdio servers that use the official TypeScript SDK's line reader. */
const SDK_STDIO = [...OFFICIAL_STDIO, "sdk-v2-server-2025-11-25", "fastmcp-stdio"] as const;
/** Stdio servers for protocol versions that allow error responses without an id. */
const LATER_STDIO = [
  ...OFFICIAL_STDIO,
  ...KUBERNETES_STDIO,
  ...SDK_V2,
  "fastmcp-stdio",
] as const;
const ALL_STDIO = [...LATER_STDIO, "tmcp"] as const;
const EXPRESS = ["server-everything-http", "fastmcp-http"] as const;
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
const JAVA_STDIO = "java-sdk-server-stdio-2025-11-25";
const JAVA_HTTP = "java-sdk-server-http-2025-11-25";
const JAVA = [JAVA_STDIO, JAVA_HTTP] as const;
const JAVA_CLIENT = "java-sdk-client-2025-11-25";
const GO_STDIO = ["go-sdk-server-stdio-2025-11-25", "go-sdk-server-stdio-2026-07-28"] as const;
const MODERN_CLIENTS = ["sdk-v2-client-2026-07-28", "ai-sdk-client-2026-07-28"] as const;

const SHARED_NOTES: readonly SharedNote[] = [
  {
    text: "A line that is not a valid JSON-RPC message ends the server process.",
    failing: {
      "mcp/json-rpc/survives-*": [...KUBERNETES_STDIO, ...GO_STDIO, JAVA_STDIO],
      "mcp/json-rpc/invalid-request-*": [JAVA_STDIO],
      "mcp/json-rpc/parse-error": [JAVA_STDIO],
      "mcp/json-rpc/batch-is-refused": [JAVA_STDIO],
      "mcp/stdio/empty-line": [JAVA_STDIO],
    },
  },
  {
    text:
      "A line that is not JSON or not a valid JSON-RPC message gets no error response, although JSON-RPC 2.0 §5.1 requires one.",
    failing: {
      "mcp/json-rpc/invalid-request-*": ALL_STDIO,
      "mcp/json-rpc/parse-error": LATER_STDIO,
      "mcp/json-rpc/batch-is-refused": LATER_STDIO,
    },
  },
  {
    text: "A request with an unknown member gets no response.",
    failing: { "mcp/json-rpc/extra-member-beside-the-method": SDK_STDIO },
  },
  {
    text: "An `initialize` request with malformed parameters is accepted or gets no response.",
    failing: {
      "mcp/lifecycle/initialize-with*": [...SDK_STDIO, "kubernetes-stdio-2025-11-25", ...JAVA],
    },
  },
  {
    text:
      "Invalid cursors are accepted, because every list has a single page and cursors are ignored.",
    failing: {
      "mcp/pagination/unknown-cursor-of-*": [...OFFICIAL, ...SDK_V2, ...FASTMCP, "tmcp", ...JAVA],
      "mcp/pagination/cursor-of-another-type-*": ["tmcp", ...JAVA],
    },
  },
  {
    text:
      "A call to an unknown tool returns a result with `isError` instead of an error, so the model sees a failed tool.",
    failing: { "mcp/tools/unknown-tool": [...OFFICIAL, "tmcp"] },
  },
  {
    text: "A call to an unknown tool or a malformed call does not return the error code -32602.",
    failing: { "mcp/tools/error-codes": [...OFFICIAL, ...FASTMCP, "tmcp"] },
  },
  {
    text: "The server ends the connection after a line of more than 10 MiB.",
    failing: { "mcp/stdio/huge-line": SDK_STDIO },
  },
  {
    text: "The npm package installs a wrapper script that writes to standard output on SIGTERM.",
    failing: { "mcp/stdio/sigterm": KUBERNETES_STDIO },
  },
  {
    text: "A request whose `Origin` header names another origin is not rejected.",
    failing: {
      "mcp/http/foreign-origin*": EXPRESS,
      "mcp/http-stateless/foreign-origin": ["kubernetes-http-2026-07-28"],
    },
  },
  {
    text:
      "The SDK selects the protocol version by the `MCP-Protocol-Version` header alone, although the request contains the `_meta` of a modern version.",
    failing: {
      "mcp/http-stateless/version-mismatch": [
        "python-sdk-server-http-2026-07-28",
        "python-fastmcp-server-http-2026-07-28",
      ],
    },
  },
  { text: "The `Host` header is not validated.", failing: { "mcp/http/foreign-host": EXPRESS } },
  {
    text: "A JSON-RPC batch is accepted, as in protocol version 2025-03-26.",
    failing: { "mcp/http/batch-is-refused": EXPRESS },
  },
  {
    text: "A request with an unsupported HTTP method returns status 404.",
    failing: { "mcp/http/put": EXPRESS },
  },
  {
    text: "A request with an unknown or terminated session id returns status 400.",
    failing: {
      "mcp/http-session/unknown-id*": ["server-everything-http"],
      "mcp/http-session/ended-session": ["server-everything-http"],
    },
  },
  {
    text: "An unknown log level is either accepted, or rejected with an internal error.",
    failing: {
      "mcp/logging/unknown-level": [
        "server-everything-stdio",
        "server-everything-http",
        "kubernetes-stdio-2025-11-25",
        "sdk-v2-server-2025-11-25",
        ...FASTMCP,
        "tmcp",
        ...JAVA,
      ],
      "mcp/logging/unknown-level-of-a-request": [
        "kubernetes-stdio-2026-07-28",
        "kubernetes-http-2026-07-28",
      ],
      "mcp/logging/no-level": ["tmcp", "kubernetes-stdio-2025-11-25", ...JAVA],
    },
  },
  {
    text:
      "Requests with an unsupported protocol version succeed or fail with an error code other than -32022.",
    failing: {
      "mcp/stateless/unsupported-version": [
        "kubernetes-stdio-2026-07-28",
        "kubernetes-http-2026-07-28",
        "sdk-v2-server-2026-07-28",
        "go-sdk-server-stdio-2026-07-28",
        "go-sdk-server-http-2026-07-28",
      ],
      "mcp/http-stateless/unsupported-version": [
        "kubernetes-http-2026-07-28",
        "go-sdk-server-http-2026-07-28",
      ],
    },
  },
  {
    text: "Results in legacy protocol versions contain members that only modern versions define.",
    failing: { "mcp/stateless/older-results-stay-older": ["kubernetes-stdio-2025-11-25"] },
  },
  {
    text: "A completion request for an unknown reference returns `null` or an internal error.",
    failing: {
      "mcp/completion/unknown-prompt": ["tmcp", ...FASTMCP],
      "mcp/completion/unknown-reference": ["tmcp"],
    },
  },
  {
    text: "The error code for an unknown prompt or resource is -32601.",
    failing: { "mcp/prompts/unknown-prompt": FASTMCP, "mcp/resources/not-found-code": FASTMCP },
  },
  {
    text: "An invalid response is ignored: the call waits until its timeout, if it has one.",
    failing: { "mcp/client/malformed-response-*": IGNORING_CLIENTS },
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
      "mcp/client-features/time-out-cancels": ["ai-sdk-client-2025-11-25", JAVA_CLIENT],
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
      ],
      "mcp/client-http/lost-session": CLIENTS_WITHOUT_SESSION_RENEWAL,
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
    text:
      "An event stream that starts with a byte order mark loses its first event, and an incomplete event at the end of a stream is accepted.",
    failing: { "mcp/client-http/stream-*": [JAVA_CLIENT] },
  },
  {
    text:
      "The host function receives the URL and responds, because the library leaves the check of the URL to the host.",
    failing: {
      "mcp/client-features/url-that-is-no-web-page": [
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
    text: "A list change is sent for only one of two subscriptions of a client.",
    failing: { "mcp/subscriptions/two-subscriptions": ["go-sdk-server-stdio-2026-07-28"] },
  },
  {
    text: "A request that the client has cancelled still receives a response.",
    failing: { "mcp/progress/cancelled": ["go-sdk-server-stdio-2026-07-28"] },
  },
  {
    text:
      "A request with an unknown method receives status 400 with a plain-text body instead of a JSON-RPC error.",
    failing: {
      "mcp/json-rpc/unknown-method": ["go-sdk-server-http-2025-11-25"],
      "mcp/json-rpc/inherited-name-as-method": ["go-sdk-server-http-2025-11-25"],
      "mcp/http/error-is-answered": ["go-sdk-server-http-2025-11-25"],
    },
  },
  {
    text: "A base64 value in the `Mcp-Name` header is not decoded.",
    failing: { "mcp/http-stateless/name-in-base64": ["go-sdk-server-http-2026-07-28"] },
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
    text: "The events of all streams of a session have the same id.",
    failing: { "mcp/http-session/event-ids-of-two-streams": [JAVA_HTTP] },
  },
  {
    text: "The status and headers of the response to GET are sent with the first event.",
    failing: {
      "mcp/http/get": [JAVA_HTTP],
      "mcp/http-session/resumes-after-a-break": [JAVA_HTTP],
    },
  },
  {
    text: "The `MCP-Protocol-Version` header is not validated.",
    failing: {
      "mcp/http/malformed-version-header": [JAVA_HTTP],
      "mcp/http/unknown-version-header": [JAVA_HTTP],
    },
  },
  {
    text:
      "A request whose parameters cannot be deserialized receives status 500 and a JSON body that is not a JSON-RPC response.",
    failing: {
      "mcp/tools/arguments-of-another-type": [JAVA_HTTP],
      "mcp/completion/no-argument": [JAVA_HTTP],
      "mcp/completion/unknown-reference": [JAVA_HTTP],
    },
  },
  {
    text: "A subscription without a URI is accepted.",
    failing: { "mcp/subscriptions/subscribe-without-a-uri": JAVA },
  },
  {
    text: "A prompt without a required argument is returned.",
    failing: { "mcp/prompts/missing-argument": JAVA },
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
      "mcp/client-sse/no-address": [JAVA_CLIENT],
    },
  },
  {
    text:
      "The transport for HTTP does not fall back to the older transport with server-sent events.",
    failing: { "mcp/client-sse/falls-back-*": [JAVA_CLIENT] },
  },
];

/** Returns the notes for the subject with the given name. */
export function notesFor(name: string): readonly Note[] {
  return SHARED_NOTES.flatMap(({ text, failing }) => {
    const cases = Object.entries(failing).flatMap(([pattern, subjects]) =>
      subjects.includes(name) ? [pattern] : []
    );
    return cases.length === 0 ? [] : [{ cases, text }];
  });
}
