/**
 * Maps each case to the file that contains it.
 *
 * The folder of a file is the tested part: `comm`, `runtime`, `mcp/server` and `mcp/client` for
 * exchanges and their invariants, and `mcp/library` for the other cases of mcp. The name of a file
 * is the topic of the first clause of its cases.
 *
 * @module
 */

/** The members of a case on which its file depends. */
export interface PlacedCase {
  readonly id: string;
  readonly kind: string;
  readonly role?: string | undefined;
  readonly clauses: readonly string[];
}

/**
 * Topics, keyed by clause family. The value of a family is its topic, or its topics with the
 * numbers of their clauses. The topic without numbers contains all other clauses of the family.
 */
const TOPICS: ReadonlyMap<string, string | Readonly<Record<string, string>>> = new Map<
  string,
  string | Readonly<Record<string, string>>
>([
  ["COMM-A2A", "a2a"],
  ["COMM-ABORT", "abort"],
  ["COMM-DID", {
    did_methods: "1-8",
    did_documents: "9-13 17 23",
    did_resolver: "15 16 18-20 24",
    did_keys: "",
  }],
  ["COMM-ERR", "errors"],
  ["COMM-JCS", "canonical_json"],
  ["COMM-JSON", {
    json_nesting: "8",
    json_limits: "18 19",
    json_errors: "10 16",
    json_text: "",
  }],
  ["COMM-JWS", "json_signatures"],
  ["COMM-KEY", "keys"],
  ["COMM-MSG", "messages"],
  ["COMM-NEG", { negotiation: "1-9", negotiation_signed: "" }],
  ["COMM-POL", { replay: "3-5 12-15", policy: "" }],
  ["COMM-PROOF", "proof"],
  ["COMM-REPLY", "reply"],
  ["COMM-REQ", { requests: "1-9", requests_limits: "" }],
  ["COMM-SIG", { verification: "10 11 19-30", signature: "" }],
  ["COMM-TIME", "time"],
  ["COMM-TRANS", { channel: "1-3", channel_limits: "4-13 22", connection: "" }],
  ["MCP-APP", "apps"],
  ["MCP-ASK", "input_requests"],
  ["CORE-CHAT", "core_openai_chat"],
  ["CORE-GEM", "core_gemini"],
  ["CORE-HTTP", "core_streams"],
  ["CORE-MCP", "core_mcp_host"],
  ["CORE-MSG", "core_anthropic"],
  ["CORE-RESP", "core_openai_responses"],
  ["CORE-SSE", "core_streams"],
  ["CORE-UI", "core_interfaces"],
  ["MCP-AUTH", {
    auth_metadata: "1 3 23",
    auth_scopes: "6 15",
    auth_authorization: "2 4 5 17 18",
    auth_registration: "8 21 22",
    auth_client: "9 28 29",
    auth_redirects: "11",
    auth_challenges: "13 14 27",
    auth_refresh: "7 31",
    auth_protection: "33-36",
    auth_sources: "37",
    auth_tokens: "",
  }],
  ["MCP-CHTTP", {
    http_responses: "8",
    http_bodies: "9",
    http_streams: "6 7 12 14 18",
    http_headers: "10 11",
    http: "",
  }],
  ["MCP-CLIENT", {
    calls: "1-3 7 10",
    responses: "4 20 22",
    tolerance: "57 58",
    input_requests: "8 29 45",
    handlers: "5 27 28 30 31 38 43 44 46",
    subscriptions: "11-16 41 42 47 52",
    eras: "9 48-51",
    client: "",
  }],
  ["MCP-COMPL", "completion"],
  ["MCP-DATA", "options"],
  ["MCP-ERA", "stateless"],
  ["MCP-ERR", "errors"],
  ["MCP-GATE", "gateways"],
  ["MCP-HTTP", "http"],
  ["MCP-LIFE", { opening: "7", lifecycle: "" }],
  ["MCP-LOG", "logging"],
  ["MCP-PAGE", "pagination"],
  ["MCP-PKCE", "pkce"],
  ["MCP-PROC", "processes"],
  ["MCP-PROG", "progress"],
  ["MCP-PROMPT", "prompts"],
  ["MCP-RES", "resources"],
  ["MCP-RPC", { messages: "2", json_rpc: "" }],
  ["MCP-SERVE", "serving"],
  ["MCP-SESS", "http_sessions"],
  ["MCP-SKILL", { skills_lists: "1 14", skills: "" }],
  ["MCP-SRV", {
    results: "1-3",
    tools: "4 5 47",
    resources_prompts: "6 7 9 10 53-56",
    uri_templates: "8 46 52",
    sessions: "16-19",
    session_storage: "25 26",
    request_state: "22 43",
    users: "15 44 45",
    extensions: "48",
    handlers: "21 23 41 42 49",
    http_options: "",
  }],
  ["MCP-SSE", "http_sse"],
  ["MCP-STATELESS", "http_stateless"],
  ["MCP-STDIO", "stdio"],
  ["MCP-SUB", "change_notifications"],
  ["MCP-TASK", {
    tasks_stores: "38-40",
    tasks_changes: "5 14 19 35",
    tasks_limits: "31 33",
    tasks_users: "17 18",
    tasks_input: "10 11 13",
    tasks_results: "24-26 32",
    tasks: "",
  }],
  ["MCP-TOOLS", "tools"],
  ["MCP-WEB", "frameworks"],
  ["MCP-WIRE", "invariants"],
  ["MODEL-ANTH", "anthropic"],
  ["MODEL-CHAT", "openai_chat"],
  ["MODEL-GEM", "gemini"],
  ["MODEL-RESP", "openai_responses"],
  ["RT-ABORT", "abort"],
  ["RT-APPR", "approval"],
  ["RT-CHAN", "channel"],
  ["RT-ERR", "errors"],
  ["RT-EVENT", "events"],
  ["RT-FLOW", "workflow"],
  ["RT-HEALTH", "health"],
  ["RT-JOURNAL", { journal_cost: "1-4", journal: "" }],
  ["RT-LIFE", "lifecycle"],
  ["RT-LOOP", { conversations: "18 21 26 27 30", loop: "" }],
  ["RT-MODEL", { fallback: "13-19", model: "" }],
  ["RT-MSG", "message"],
  ["RT-OUT", "output"],
  ["RT-PREP", "preparation"],
  ["RT-REG", { schema_keywords: "4 10", schemas: "5 6 8 9", registry: "" }],
  ["RT-BUDGET", "budget"],
  ["RT-STOP", "stop"],
  ["RT-STREAM", "streams"],
  ["RT-SUB", "sub_agent"],
  ["RT-SERVE", "served_agents"],
  ["RT-A2A", "a2a"],
  ["RT-OPENAI", "openai_endpoint"],
  ["RT-A2AC", "a2a_client"],
  ["RT-TASK", "remote_tasks"],
  ["RT-TEL", "telemetry"],
  ["RT-TOOL", { tool_outputs: "16 20 26-28 37", tools: "" }],
  ["RT-USAGE", "usage"],
  ["RT-WAIT", "waiting"],
]);

/**
 * Returns the path of the file that contains a case, relative to the folder of cases.
 *
 * @throws {RangeError} If no topic exists for the first clause of the case.
 */
export function pathOf(each: PlacedCase): string {
  return `${folderOf(each)}/${topicOf(each)}.json`;
}

function folderOf({ id, kind, role }: PlacedCase): string {
  const [library = ""] = id.split("/");
  if (library !== "mcp") return library;
  return kind === "exchange" || kind === "invariant" ? `mcp/${role}` : "mcp/library";
}

function topicOf({ id, clauses }: PlacedCase): string {
  const [clause = ""] = clauses;
  const [, family = "", number = ""] = /^(.+)-(\d+)$/.exec(clause) ?? [];
  const topics = TOPICS.get(family) ?? {};
  const topic = typeof topics === "string" ? topics : findTopic(topics, Number(number));
  if (topic !== undefined) return topic;
  throw new RangeError(
    `Cannot place "${id}": authoring/topics.ts has no topic for the clause "${clause}"`,
  );
}

function findTopic(topics: Readonly<Record<string, string>>, number: number): string | undefined {
  return Object.keys(topics).find((topic) =>
    topics[topic] === "" || contains(topics[topic] ?? "", number)
  );
}

/** Returns true if numbers and ranges such as `1 3 5-9` contain a number. */
function contains(numbers: string, value: number): boolean {
  return numbers.split(" ").some((range) => {
    const [first = NaN, last = first] = range.split("-").map(Number);
    return first <= value && value <= last;
  });
}
