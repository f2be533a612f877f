/**
 * Descriptions, for the page about speed, of the benchmark ratios that have a limit.
 *
 * @module
 */

/** Description of a ratio, and the reason for its limit. */
export interface PromiseText {
  readonly text: string;
  /** Reason for the limit, as a sentence. */
  readonly reason: string;
  /** Unit of the value, or absent for a ratio between two contenders. */
  readonly unit?: string;
}

type Texts = Readonly<Record<string, PromiseText>>;

const RUNTIME: Texts = {
  iterationToHandMade: {
    text: "time of an iteration with one tool call, relative to a loop written by hand",
    reason: "Events, approvals, budgets and retries may add half of a loop that has none of them.",
  },
  eightCallsToHandMade: {
    text: "time of an iteration with eight tool calls, relative to a loop written by hand",
    reason: "Parallel calls must not lose what a single call has gained.",
  },
  iterations1000ToHandMade: {
    text: "time of a run of 1,000 iterations, relative to a loop written by hand",
    reason: "An iteration of a long run must cost the same as one of a short run.",
  },
  kbPerIteration: {
    text: "memory that an iteration allocates",
    unit: "kB",
    reason: "The more a run allocates, the more a busy process waits for the garbage collector.",
  },
  firstRunToHandMade: {
    text:
      "processor time of the first run in a new process (10 iterations), relative to a loop written by hand",
    reason: "A serverless function often executes each function only once, before it is compiled.",
  },
  prepareIterationToHandMade: {
    text: "time that `prepareIteration` adds, relative to an iteration written by hand",
    reason: "An option that changes nothing must be cheap enough to be set in every program.",
  },
  outputToolToHandMade: {
    text: "time that typed output by a tool adds, relative to an iteration written by hand",
    reason:
      "The output is validated once per run, so the other iterations must cost almost nothing.",
  },
  outputNativeToHandMade: {
    text:
      "time that typed output by the model's response format adds, relative to an iteration written by hand",
    reason:
      "The output is validated once per run, so the other iterations must cost almost nothing.",
  },
  aroundToHandMade: {
    text: "time that `around` adds, relative to an iteration written by hand",
    reason: "Tracing wraps every step, so a wrapper must be cheap enough for production.",
  },
  history10000To10: {
    text: "time of a run after 10,000 messages, relative to a run after 10",
    reason: "A run must not check messages again that it has checked before.",
  },
  tools1000To1: {
    text: "time of an iteration with 1,000 registered tools, relative to one tool",
    reason: "A call must not depend on tools that it does not use.",
  },
  sessionTurn1000To10: {
    text: "processor time of turn 1,000 of a session in memory, relative to turn 10",
    reason: "The model receives all messages, so a turn may grow, but much more slowly than them.",
  },
  recordedSessionTurn1000To10: {
    text: "processor time of turn 1,000 of a session whose steps are recorded, relative to turn 10",
    reason: "Recorded steps of earlier turns must not be read again.",
  },
  fileSessionTurn1000To10: {
    text: "processor time of turn 1,000 of a session in a file, relative to turn 10",
    reason: "A turn must not read the whole file again.",
  },
  serverTurn5000To10: {
    text: "processor time of turn 5,000 of a server's session in memory, relative to turn 10",
    reason: "A chat that lasts for months must remain usable.",
  },
  sqliteServerTurn5000To10: {
    text: "processor time of turn 5,000 of a server's session in SQLite, relative to turn 10",
    reason: "Each turn reads the messages from the database, and may take longer for that alone.",
  },
  newSession1000To10: {
    text: "processor time of the first turn of session 1,000 in memory, relative to session 10",
    reason: "A turn must not depend on other sessions.",
  },
  sqliteNewSession1000To10: {
    text: "processor time of the first turn of session 1,000 in SQLite, relative to session 10",
    reason: "A turn must not depend on other sessions, except for the depth of the index.",
  },
  journalStepToHandMade: {
    text: "elapsed time of a step in a file journal, relative to a step written by hand",
    reason: "Both wait for the disk, and both detect changes by another process.",
  },
  journalStep1000To10: {
    text: "processor time of step 1,000 in a file journal, relative to step 10",
    reason: "A step must not depend on the length of the file.",
  },
  channelDeepToEmpty: {
    text: "time to send and receive on a channel with 200,000 messages, relative to an empty one",
    reason:
      "A long channel does not fit into the caches of the processor. Nothing else may differ.",
  },
  readers100To1: {
    text: "time per reader to send a part of a response to 100 readers, relative to one, in memory",
    reason: "A part is stored once, so further readers must be cheaper than the first.",
  },
  sqliteReaders100To1: {
    text: "time per reader to send a part of a response to 100 readers, relative to one, in SQLite",
    reason: "A part is stored once, so further readers must be cheaper than the first.",
  },
  a2aToHandMade: {
    text: "CPU time of a message over A2A with JSON-RPC, relative to a handler written by hand",
    reason:
      "A protocol adds reading, a task and its states to a run whose session is stored anyway.",
  },
  a2aHttpToHandMade: {
    text: "CPU time of a message over A2A with HTTP+JSON, relative to a handler written by hand",
    reason: "Both bindings of A2A must cost the same.",
  },
  a2aStreamToHandMade: {
    text: "CPU time of a streamed message over A2A, relative to a handler written by hand",
    reason: "A stream sends each state and each part of the text.",
  },
  chatCompletionsToHandMade: {
    text:
      "CPU time of a message over OpenAI Chat Completions, relative to a handler written by hand",
    reason: "A temporary run must not cost more than a stored one.",
  },
  responsesToHandMade: {
    text: "CPU time of a message over OpenAI Responses, relative to a handler written by hand",
    reason: "A response is stored like every other run.",
  },
  uiChatToHandMade: {
    text: "CPU time of a message from a chat page, relative to a handler written by hand",
    reason: "A page receives each part of the text as an event.",
  },
  kbPerAgent: {
    text: "memory of an idle agent with one tool",
    unit: "kB",
    reason: "A program that creates an agent per request or per user has many of them.",
  },
  aiToParley: {
    text: "time of the AI SDK, relative to `@parley/runtime`",
    reason: "The AI SDK is the most widely used library for tool loops in TypeScript.",
  },
  aiToParleyValidating: {
    text: "time of the AI SDK, relative to `@parley/runtime`, when both validate tool inputs",
    reason: "Validation takes the same work in both libraries, so the difference is smaller.",
  },
  retainedParleyToAi: {
    text: "memory that the output of a run retains, relative to the AI SDK",
    reason: "A program that keeps the results of runs needs memory for as long as it keeps them.",
  },
  validationToCfworker: {
    text: "time of validating an ordinary tool input, relative to `@cfworker/json-schema`",
    reason:
      "This package validates in browsers and workers, without generated code, as Parley does.",
  },
  hostileValidationToJsonParse: {
    text: "time until a hostile tool input is rejected, relative to parsing its JSON",
    reason: "An attacker must not gain much by sending an input that is hard to validate.",
  },
};

/** Descriptions of the ratios for HTTP servers with a number of concurrent connections. */
function busyServers(connections: number): Texts {
  const at = `with ${connections} connections`;
  const reason = "A busy server handles several requests per wake-up, which changes its costs.";
  return {
    [`server_cpu_${connections}_vs_floor`]: {
      text: `processor time of an HTTP call ${at}, relative to an echo server`,
      reason,
    },
    [`server_cpu_${connections}_vs_hand_made`]: {
      text: `processor time of an HTTP call ${at}, relative to a server written by hand`,
      reason,
    },
    [`server_cpu_${connections}_vs_mcp_lite`]: {
      text: `processor time of an HTTP call ${at}, relative to mcp-lite`,
      reason,
    },
    [`server_cpu_${connections}_async_vs_sync`]: {
      text:
        `processor time of an HTTP call of an asynchronous tool ${at}, relative to a synchronous one`,
      reason,
    },
  };
}

const MCP: Texts = {
  server_cpu_vs_floor: {
    text: "processor time of an HTTP call, relative to an echo server",
    reason: "An echo server checks nothing, so its time is mostly that of the platform.",
  },
  server_cpu_vs_hand_made: {
    text: "processor time of an HTTP call, relative to a server written by hand",
    reason: "The price of the library must be small compared with that of the required checks.",
  },
  server_cpu_vs_mcp_lite: {
    text: "processor time of an HTTP call, relative to mcp-lite",
    reason: "mcp-lite is the smallest of the compared libraries.",
  },
  server_cpu_async_vs_sync: {
    text: "processor time of an HTTP call of an asynchronous tool, relative to a synchronous one",
    reason: "Most tools wait for something, so the asynchronous tool is the usual one.",
  },
  ...busyServers(16),
  ...busyServers(64),
  ...busyServers(256),
  server_cpu_node_vs_floor: {
    text: "processor time of an HTTP call on Node.js, relative to an echo server on Node.js",
    reason: "The same library must not be slow on the most widely used platform.",
  },
  sdk_v1_server_cpu_node_vs_parley: {
    text: "processor time of SDK v1 for an HTTP call on Node.js, relative to `@parley/mcp`",
    reason: "Most MCP servers use version 1 of the official SDK on Node.js.",
  },
  server_cpu_1000_tools_vs_1: {
    text: "processor time of an HTTP call with 1,000 tools, relative to one tool",
    reason: "A call must not depend on tools that it does not use.",
  },
  server_cpu_1000_sessions_vs_1: {
    text: "processor time of an HTTP call with 1,000 sessions, relative to one session",
    reason: "A call must not depend on the sessions of other clients.",
  },
  server_memory_vs_floor: {
    text: "memory of an HTTP server with Zod, relative to an echo server",
    reason: "The memory of Zod itself is part of this value.",
  },
  server_memory_1000_sessions_vs_floor: {
    text:
      "memory of an HTTP server with JSON Schema and 1,000 sessions, relative to an echo server",
    reason: "A server with many clients must fit on the smallest machines.",
  },
  client_cpu_vs_sdk_v1: {
    text: "processor time of an HTTP client, relative to SDK v1",
    reason: "The client validates more than the client of the SDK, and must not be slower.",
  },
  client_cpu_vs_sdk_v2: {
    text: "processor time of an HTTP client, relative to SDK v2",
    reason: "The client validates more than the client of the SDK, and must not be slower.",
  },
  in_process_vs_sdk_v1: {
    text: "calls per second between a client and a server in one process, relative to SDK v1",
    reason: "Without a network, only the code of the libraries is compared.",
  },
  in_process_vs_sdk_v2: {
    text: "calls per second between a client and a server in one process, relative to SDK v2",
    reason: "Without a network, only the code of the libraries is compared.",
  },
  stdio_mean_vs_floor: {
    text: "mean time of a call over stdio, relative to an exchange of bare lines",
    reason: "The mean contains the pauses, which the fastest calls do not show.",
  },
  stdio_p99_vs_p50: {
    text: "time of a call over stdio: 99th percentile, relative to the median",
    reason: "A process that has nothing else to do must not pause.",
  },
  tools_list_1000_vs_stringify: {
    text: "time of `tools/list` with 1,000 tools, relative to `JSON.stringify` of the response",
    reason: "The list changes only with a registration, so its JSON can be kept.",
  },
};

const COMM: Texts = {
  message_cost_vs_hand_made: {
    text:
      "time of creating, signing, encoding, decoding and verifying a message, relative to a message written by hand",
    reason: "Signatures take most of the time of both. The package also rejects duplicate names.",
  },
  message_vs_native: {
    text:
      "speed of creating, signing, encoding, decoding and verifying a message, relative to signing and verifying alone (WebCrypto)",
    reason: "Signatures are calculated on the calling thread, which saves two changes of threads.",
  },
  message_vs_jose: {
    text:
      "speed of creating, signing, encoding, decoding and verifying a message, relative to `jose`",
    reason: "`jose` is the most widely used library for signed JSON.",
  },
  verify_known_did_key_vs_native: {
    text:
      "speed of verifying a message from a known sender, relative to verifying alone (WebCrypto)",
    reason: "The key of a known sender is already decoded.",
  },
  verify_1000_senders_cost_vs_one: {
    text: "time of verifying messages from 1,000 senders in turn, relative to one sender",
    reason: "An agent must not be slower because it has many partners.",
  },
  parse_500b_cost_vs_json_parse: {
    text: "time of parsing a message of 500 bytes, relative to `JSON.parse`",
    reason: "The parser also rejects duplicate names and invalid text, which `JSON.parse` accepts.",
  },
  parse_16kb_cost_vs_json_parse: {
    text: "time of parsing a message of 16 kB, relative to `JSON.parse`",
    reason: "The parser also rejects duplicate names and invalid text, which `JSON.parse` accepts.",
  },
  canonicalize_400b_vs_canonicalize: {
    text: "speed for 400 bytes of JSON, relative to the `canonicalize` package",
    reason: "Most messages are small.",
  },
  canonicalize_1mb_vs_canonicalize: {
    text: "speed for 1 MB of JSON, relative to the `canonicalize` package",
    reason: "A large message blocks its process for as long as it is serialized.",
  },
  canonicalize_10000_members_vs_fastest: {
    text: "speed for an object with 10,000 members, relative to the fastest of three libraries",
    reason: "Objects with many members are serialized by different code than small ones.",
  },
  canonicalize_any_shape_vs_fastest: {
    text: "lowest speed for 12 shapes of JSON, relative to the fastest of three libraries",
    reason: "No kind of data may be a weak spot. For plain text, all libraries do the same work.",
  },
  channel_vs_transform_stream: {
    text: "speed of a channel, relative to `TransformStream`",
    reason: "A channel within a process must never be the reason to avoid messages.",
  },
  channel_growth_mb: {
    text: "memory growth while a channel is in use",
    unit: "MB",
    reason: "Two million messages must leave nothing behind.",
  },
  queue_300000_waiting_cost_vs_1000: {
    text: "time per message of a queue in memory with 300,000 waiting messages, relative to 1,000",
    reason: "A queue grows when its consumers fail, which must not make it slower as well.",
  },
  replay_guard_full_cost_vs_filling: {
    text: "time per message of a full replay guard, relative to a guard that is filling",
    reason: "A guard is full when it is attacked.",
  },
  replay_guard_steady_cost_vs_filling: {
    text:
      "time per message of a replay guard whose entries expire, relative to a guard that is filling",
    reason: "Entries expire in every long-lived process.",
  },
};

const ENGINES: Texts = {
  messageClientCpuToHandMade: {
    text: "client's processor time per queued message, relative to a hand-made table",
    reason: "The hand-made table acknowledges whole batches, which a general queue cannot do.",
  },
  messageServerCpuToHandMade: {
    text: "PostgreSQL's processor time per queued message, relative to a hand-made table",
    reason: "pg-boss, which executes several statements per message, takes most of this time.",
  },
  cpuPgBossToHandMade: {
    text: "processor time of a durable run, relative to a hand-made queue",
    reason: "The deliveries of a run must be a small part of its steps.",
  },
  storageKbPerRun: {
    text: "storage of a durable run with 11 recorded steps",
    unit: "kB",
    reason: "Storage does not depend on the processor, so the limit is absolute.",
  },
  takeoverSecondsP95: {
    text: "time until another process continues a run after a crash (95th percentile)",
    unit: "s",
    reason: "The time follows from the intervals of leases, not from the processor.",
  },
};

const START: Texts = {
  import_runtime_ms: {
    text: "processor time to import `@parley/runtime`",
    unit: "ms",
    reason: "A command-line program or a serverless function starts often.",
  },
  import_mcp_ms: {
    text: "processor time to import `@parley/mcp`, with client and server",
    unit: "ms",
    reason: "A stdio server starts with every client.",
  },
  import_comm_ms: {
    text: "processor time to import `@parley/comm`",
    unit: "ms",
    reason: "Messages are often one small part of a program.",
  },
  import_models_ms: {
    text: "processor time to import `@parley/runtime/models` after `@parley/runtime`",
    unit: "ms",
    reason: "An adapter must not load the code of the runtime again.",
  },
  ai_import_vs_runtime: {
    text: "processor time to import the AI SDK, relative to `@parley/runtime`",
    reason: "The AI SDK is the most widely used library for tool loops in TypeScript.",
  },
  sdk_v1_import_vs_server: {
    text: "processor time to import the server of SDK v1, relative to `@parley/mcp/server`",
    reason: "Most MCP servers use version 1 of the official SDK.",
  },
  sdk_v2_import_vs_server: {
    text: "processor time to import the server of SDK v2, relative to `@parley/mcp/server`",
    reason: "Version 2 is the official SDK for the current protocol.",
  },
  cold_start_vs_script: {
    text: "time from the start of a stdio server to its first result, relative to a minimal script",
    reason: "Most of the time must be that of Node.js itself.",
  },
  sdk_v1_cold_start_vs_parley: {
    text: "time of SDK v1 from the start to the first result, relative to `@parley/mcp`",
    reason: "A user waits for this time whenever a client starts its servers.",
  },
  sdk_v2_cold_start_vs_parley: {
    text: "time of SDK v2 from the start to the first result, relative to `@parley/mcp`",
    reason: "A user waits for this time whenever a client starts its servers.",
  },
};

/** Descriptions, keyed by the names of the ratios in the benchmarks. */
export const PROMISE_TEXTS: Texts = { ...RUNTIME, ...MCP, ...COMM, ...ENGINES, ...START };
