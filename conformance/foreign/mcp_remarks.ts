/**
 * What the red cases of servers and clients of others come from.
 *
 * @module
 */

import type { Remark } from "./subject.ts";

/** A remark and the subjects that it is about. */
interface Finding {
  readonly cases: string;
  readonly text: string;
  readonly subjects: readonly string[];
}

const FINDINGS: readonly Finding[] = [
  {
    cases: "mcp/json-rpc/survives-*",
    text: "One line that is no message ends the process.",
    subjects: ["kubernetes-stdio-2025-11-25", "kubernetes-stdio-2026-07-28"],
  },
  {
    cases: "mcp/json-rpc/invalid-request-*",
    text:
      "A line that is JSON and no message gets no answer; JSON-RPC 2.0 §5.1 has an error for it.",
    subjects: [
      "tmcp",
      "server-sequential-thinking",
      "kubernetes-stdio-2025-11-25",
      "kubernetes-stdio-2026-07-28",
      "server-everything-stdio",
      "server-filesystem",
      "server-memory",
      "sdk-v2-server-2025-11-25",
      "sdk-v2-server-2026-07-28",
      "fastmcp-stdio",
    ],
  },
  {
    cases: "mcp/json-rpc/parse-error",
    text: "A line that is not JSON gets no answer; JSON-RPC 2.0 §5.1 has an error for it.",
    subjects: [
      "tmcp",
      "server-sequential-thinking",
      "kubernetes-stdio-2025-11-25",
      "kubernetes-stdio-2026-07-28",
      "server-everything-stdio",
      "server-filesystem",
      "server-memory",
      "sdk-v2-server-2025-11-25",
      "sdk-v2-server-2026-07-28",
      "fastmcp-stdio",
    ],
  },
  {
    cases: "mcp/json-rpc/batch-is-refused",
    text: "A batch gets no answer.",
    subjects: [
      "tmcp",
      "server-sequential-thinking",
      "kubernetes-stdio-2025-11-25",
      "kubernetes-stdio-2026-07-28",
      "server-everything-stdio",
      "server-filesystem",
      "server-memory",
      "sdk-v2-server-2025-11-25",
      "sdk-v2-server-2026-07-28",
      "fastmcp-stdio",
    ],
  },
  {
    cases: "mcp/json-rpc/extra-member-beside-the-method",
    text: "A request with a member that JSON-RPC does not name is dropped.",
    subjects: [
      "server-sequential-thinking",
      "server-everything-stdio",
      "server-filesystem",
      "server-memory",
      "sdk-v2-server-2025-11-25",
      "fastmcp-stdio",
    ],
  },
  {
    cases: "mcp/lifecycle/initialize-with*",
    text:
      "Parameters of `initialize` that are malformed get no answer, one without its id, or are accepted.",
    subjects: [
      "server-sequential-thinking",
      "kubernetes-stdio-2025-11-25",
      "server-everything-stdio",
      "server-filesystem",
      "server-memory",
      "sdk-v2-server-2025-11-25",
      "fastmcp-stdio",
      "fastmcp-http",
      "server-everything-http",
    ],
  },
  {
    cases: "mcp/pagination/unknown-cursor-of-*",
    text: "Cursors are not looked at: the list has one page.",
    subjects: [
      "tmcp",
      "server-sequential-thinking",
      "server-everything-stdio",
      "server-filesystem",
      "server-memory",
      "sdk-v2-server-2025-11-25",
      "sdk-v2-server-2026-07-28",
      "fastmcp-stdio",
      "fastmcp-http",
      "server-everything-http",
    ],
  },
  {
    cases: "mcp/pagination/cursor-of-another-type-*",
    text: "Cursors are not looked at: the list has one page.",
    subjects: ["tmcp"],
  },
  {
    cases: "mcp/tools/unknown-tool",
    text:
      "An unknown tool is answered with a result that has `isError`, which a model takes for a tool that failed.",
    subjects: [
      "tmcp",
      "server-sequential-thinking",
      "server-everything-stdio",
      "server-filesystem",
      "server-memory",
      "server-everything-http",
    ],
  },
  {
    cases: "mcp/tools/inherited-name-as-tool",
    text: "The same holds for names that objects have by nature.",
    subjects: [
      "tmcp",
      "server-sequential-thinking",
      "server-everything-stdio",
      "server-filesystem",
      "server-memory",
      "server-everything-http",
    ],
  },
  {
    cases: "mcp/tools/error-codes",
    text: "The code of the error is another, or there is none.",
    subjects: [
      "tmcp",
      "server-sequential-thinking",
      "server-everything-stdio",
      "server-filesystem",
      "server-memory",
      "fastmcp-stdio",
      "fastmcp-http",
      "server-everything-http",
    ],
  },
  {
    cases: "mcp/stdio/huge-line",
    text:
      "A line of 16 MiB is put together anew with each piece that comes, which takes longer than the kit waits, or ends the server.",
    subjects: [
      "server-sequential-thinking",
      "server-everything-stdio",
      "server-filesystem",
      "server-memory",
      "sdk-v2-server-2025-11-25",
      "fastmcp-stdio",
    ],
  },
  {
    cases: "mcp/stdio/sigterm",
    text:
      "What npm installs is a script around the program; it writes to standard output when it is told to end.",
    subjects: ["kubernetes-stdio-2025-11-25", "kubernetes-stdio-2026-07-28"],
  },
  {
    cases: "mcp/http/foreign-origin*",
    text: "`Origin` is not looked at.",
    subjects: ["fastmcp-http", "server-everything-http"],
  },
  {
    cases: "mcp/http-stateless/foreign-origin",
    text: "`Origin` is not looked at.",
    subjects: ["kubernetes-http-2026-07-28"],
  },
  {
    cases: "mcp/http/foreign-host",
    text: "`Host` is not looked at.",
    subjects: ["fastmcp-http", "server-everything-http"],
  },
  {
    cases: "mcp/http/batch-is-refused",
    text: "A batch is served, as revision 2025-03-26 had it.",
    subjects: ["fastmcp-http", "server-everything-http"],
  },
  {
    cases: "mcp/http/put",
    text: "Another method is answered with 404.",
    subjects: ["fastmcp-http", "server-everything-http"],
  },
  {
    cases: "mcp/http-session/unknown-id*",
    text: "A session that is not there is answered with 400.",
    subjects: ["server-everything-http"],
  },
  {
    cases: "mcp/http-session/ended-session",
    text: "A session that has ended is answered with 400.",
    subjects: ["server-everything-http"],
  },
  {
    cases: "mcp/http-session/unknown-event-id",
    text: "An event that nobody sent opens a stream that stays silent.",
    subjects: ["server-everything-http"],
  },
  {
    cases: "mcp/logging/unknown-level*",
    text: "A log level that does not exist is accepted, or refused as an internal error.",
    subjects: [
      "tmcp",
      "kubernetes-stdio-2025-11-25",
      "kubernetes-stdio-2026-07-28",
      "server-everything-stdio",
      "kubernetes-http-2026-07-28",
      "sdk-v2-server-2025-11-25",
      "fastmcp-stdio",
      "fastmcp-http",
      "server-everything-http",
    ],
  },
  {
    cases: "mcp/logging/no-level",
    text: "No log level is accepted as one.",
    subjects: ["tmcp", "kubernetes-stdio-2025-11-25"],
  },
  {
    cases: "mcp/stateless/unsupported-version",
    text: "A version that is not supported is not refused by -32022.",
    subjects: [
      "kubernetes-stdio-2026-07-28",
      "kubernetes-http-2026-07-28",
      "sdk-v2-server-2026-07-28",
    ],
  },
  {
    cases: "mcp/http-stateless/unsupported-version",
    text: "A version that is not supported is not refused by -32022.",
    subjects: ["kubernetes-http-2026-07-28"],
  },
  {
    cases: "mcp/stateless/older-results-stay-older",
    text: "Results of the older era carry members of the newer one.",
    subjects: ["kubernetes-stdio-2025-11-25"],
  },
  {
    cases: "mcp/completion/unknown-*",
    text: "What does not exist is completed with `null`, or refused as an internal error.",
    subjects: ["tmcp", "fastmcp-stdio", "fastmcp-http"],
  },
  {
    cases: "mcp/prompts/unknown-prompt",
    text: "The code of the error is -32601.",
    subjects: ["fastmcp-stdio", "fastmcp-http"],
  },
  {
    cases: "mcp/resources/not-found-code",
    text: "The code of the error is -32601.",
    subjects: ["fastmcp-stdio", "fastmcp-http"],
  },
  {
    cases: "mcp/tools/call-without-a-name",
    text: "A call without a name is the call of an unknown tool.",
    subjects: ["tmcp"],
  },
  {
    cases: "mcp/client/malformed-response-*",
    text: "What is no valid response is passed over: the call waits until its time-out.",
    subjects: [
      "ai-sdk-client-2025-11-25",
      "openai-agents-client",
      "sdk-v1-client",
      "sdk-v2-client-2025-11-25",
    ],
  },
  {
    cases: "mcp/client/pages-are-followed",
    text: "One call gives one page; to follow cursors is its caller's work.",
    subjects: ["ai-sdk-client-2025-11-25", "sdk-v1-client"],
  },
  {
    cases: "mcp/client/repeated-cursor-ends",
    text: "One call gives one page, or cursors are followed 64 times.",
    subjects: ["ai-sdk-client-2025-11-25", "sdk-v1-client", "sdk-v2-client-2025-11-25"],
  },
  {
    cases: "mcp/client-features/empty-cursor",
    text: "One call gives one page.",
    subjects: ["ai-sdk-client-2025-11-25", "sdk-v1-client"],
  },
  {
    cases: "mcp/client-features/cursor-is-kept",
    text: "One call gives one page.",
    subjects: ["ai-sdk-client-2025-11-25", "sdk-v1-client"],
  },
  {
    cases: "mcp/client-features/progress",
    text: "Progress that comes together with the response is lost.",
    subjects: ["sdk-v1-client", "sdk-v2-client-2025-11-25"],
  },
  {
    cases: "mcp/client-features/newer-progress",
    text: "Progress that comes together with the response is lost.",
    subjects: ["sdk-v2-client-2026-07-28"],
  },
  {
    cases: "mcp/client-features/content-of-unknown-type",
    text: "Content of a type that the client does not know fails the whole call.",
    subjects: ["openai-agents-client", "sdk-v1-client", "sdk-v2-client-2025-11-25"],
  },
  {
    cases: "mcp/client-features/time-out-cancels",
    text: "A call that is given up tells the server nothing.",
    subjects: ["ai-sdk-client-2025-11-25"],
  },
  {
    cases: "mcp/client-features/newer-time-out-cancels",
    text: "A call that is given up tells the server nothing.",
    subjects: ["ai-sdk-client-2026-07-28"],
  },
  {
    cases: "mcp/client-http/bad-*",
    text: "A response that ends without the answer leaves the call waiting until its time-out.",
    subjects: [
      "ai-sdk-client-2025-11-25",
      "openai-agents-client",
      "sdk-v1-client",
      "sdk-v2-client-2025-11-25",
    ],
  },
  {
    cases: "mcp/client-http/stream-cut-off",
    text: "A response that ends without the answer leaves the call waiting until its time-out.",
    subjects: [
      "ai-sdk-client-2025-11-25",
      "openai-agents-client",
      "sdk-v1-client",
      "sdk-v2-client-2025-11-25",
    ],
  },
  {
    cases: "mcp/client-http/nothing-to-go-back-to",
    text: "A response that ends without the answer leaves the call waiting until its time-out.",
    subjects: [
      "ai-sdk-client-2025-11-25",
      "openai-agents-client",
      "sdk-v1-client",
      "sdk-v2-client-2025-11-25",
    ],
  },
  {
    cases: "mcp/client-http/newer-broken-stream",
    text: "A response that ends without the answer leaves the call waiting until its time-out.",
    subjects: ["ai-sdk-client-2026-07-28", "sdk-v2-client-2026-07-28"],
  },
  {
    cases: "mcp/client-http/goes-back*",
    text: "A stream of a request that broke is not gone back to.",
    subjects: ["ai-sdk-client-2025-11-25"],
  },
  {
    cases: "mcp/client-http/waits-as-told",
    text: "A stream of a request that broke is not gone back to.",
    subjects: ["ai-sdk-client-2025-11-25"],
  },
  {
    cases: "mcp/client-http/lost-session",
    text: "A session that is lost fails the call; nobody opens a new one.",
    subjects: ["ai-sdk-client-2025-11-25", "sdk-v1-client", "sdk-v2-client-2025-11-25"],
  },
  {
    cases: "mcp/client/absent-result-type",
    text: "A result without `resultType` is refused in the newer era.",
    subjects: ["ai-sdk-client-2026-07-28", "sdk-v2-client-2026-07-28"],
  },
  {
    cases: "mcp/client/unknown-result-type",
    text: "A result of a type that nobody knows is taken as complete.",
    subjects: ["ai-sdk-client-2026-07-28"],
  },
];

/** The remarks on a subject. */
export function remarksOn(name: string): readonly Remark[] {
  return FINDINGS.filter(({ subjects }) => subjects.includes(name))
    .map(({ cases, text }) => ({ cases: [cases], text }));
}
