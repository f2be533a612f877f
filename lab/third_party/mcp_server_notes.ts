/**
 * Notes on the failing cases of third-party MCP servers.
 *
 * @module
 */

import type { SharedNote } from "./shared_note.ts";

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
const JAVA_STDIO = "java-sdk-server-stdio-2025-11-25";
const JAVA_HTTP = "java-sdk-server-http-2025-11-25";
const PYTHON_FASTMCP_HTTP = "python-fastmcp-server-http-2026-07-28";
const JAVA = [JAVA_STDIO, JAVA_HTTP] as const;
const GO_STDIO = ["go-sdk-server-stdio-2025-11-25", "go-sdk-server-stdio-2026-07-28"] as const;

/** Notes on the servers' failing cases. */
export const SERVER_NOTES: readonly SharedNote[] = [
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
      "mcp/pagination/unknown-cursor-of-*": [
        ...OFFICIAL,
        ...SDK_V2,
        ...FASTMCP,
        "tmcp",
        PYTHON_FASTMCP_HTTP,
        ...JAVA,
      ],
      "mcp/pagination/cursor-of-another-type-*": ["tmcp", ...JAVA],
    },
  },
  {
    text:
      "A call to an unknown tool returns a result with `isError` instead of an error, so the model sees a failed tool.",
    failing: {
      "mcp/tools/unknown-tool": [...OFFICIAL, "tmcp", PYTHON_FASTMCP_HTTP],
      "mcp/stateless/unknown-tool": [PYTHON_FASTMCP_HTTP],
    },
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
    failing: {
      "mcp/stdio/sigterm": KUBERNETES_STDIO,
      "mcp/invariants/bytes": KUBERNETES_STDIO,
    },
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
  {
    text: "The SDK sends log messages without declaring the capability `logging`.",
    failing: {
      "mcp/invariants/capabilities": [
        "python-sdk-server-stdio-2025-11-25",
        "python-sdk-server-stdio-2026-07-28",
        "python-sdk-server-http-2026-07-28",
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
      "mcp/invariants/message-schema": ["tmcp"],
    },
  },
  {
    text: "The error code for an unknown prompt or resource is -32601.",
    failing: { "mcp/prompts/unknown-prompt": FASTMCP, "mcp/resources/not-found-code": FASTMCP },
  },
  {
    text: "A list change notification is sent on only one of a client's two subscriptions.",
    failing: { "mcp/subscriptions/two-subscriptions": ["go-sdk-server-stdio-2026-07-28"] },
  },
  {
    text: "A request that the client has cancelled still receives a response.",
    failing: {
      "mcp/progress/cancelled": ["go-sdk-server-stdio-2026-07-28"],
      "mcp/progress/cancelled-in-a-session": JAVA,
    },
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
    text: "The events of all streams of a session have the same id.",
    failing: { "mcp/http-session/event-ids-of-two-streams": [JAVA_HTTP] },
  },
  {
    text: "The status and headers of the response to GET are sent only with the first event.",
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
    text: "A prompt without a required argument is returned, or receives an internal error.",
    failing: { "mcp/prompts/missing-argument": [...JAVA, PYTHON_FASTMCP_HTTP] },
  },
  {
    text: "A completion request without an argument receives an internal error.",
    failing: { "mcp/completion/no-argument": [JAVA_STDIO] },
  },
  {
    text: "A `ping` before `initialize` receives no response.",
    failing: { "mcp/lifecycle/ping-before-initialize": [JAVA_STDIO] },
  },
];
