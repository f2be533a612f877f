/**
 * Descriptions, for the results page, of the benchmark ratios that have a limit.
 *
 * @module
 */

/** What a ratio measures. */
export interface PromiseText {
  readonly text: string;
  /** Unit of the value, or absent for a ratio between two contenders. */
  readonly unit?: string;
}

/** Descriptions, keyed by the names of the ratios in the benchmarks. */
export const PROMISE_TEXTS: Readonly<Record<string, PromiseText>> = {
  usPerIteration: { text: "time of an iteration with one tool call", unit: "µs" },
  usPerFurtherCall: { text: "time of each further tool call in an iteration", unit: "µs" },
  msPer1000Iterations: { text: "time of a run of 1,000 iterations", unit: "ms" },
  history10000To10: { text: "time of a run after 10,000 messages, relative to a run after 10" },
  aiToParley: { text: "time of the AI SDK, relative to `@parley/runtime`" },
  aiToParleyValidating: {
    text: "time of the AI SDK, relative to `@parley/runtime`, when both validate tool inputs",
  },
  retainedParleyToAi: { text: "memory that the output of a run retains, relative to the AI SDK" },
  usForPrepareIteration: {
    text: "additional time per iteration for `prepareIteration`",
    unit: "µs",
  },
  usForOutputTool: { text: "additional time per iteration for typed output by a tool", unit: "µs" },
  usForOutputNative: {
    text: "additional time per iteration for typed output by the model's response format",
    unit: "µs",
  },
  usForAround: { text: "additional time per iteration for `around`", unit: "µs" },
  channelDeepToEmpty: {
    text: "time to send and receive on a channel with 200,000 messages, relative to an empty one",
  },
  importMsNode: { text: "time to import `@parley/runtime` on Node.js", unit: "ms" },
  importMsDeno: { text: "time to import `@parley/runtime` on Deno", unit: "ms" },

  server_cpu_vs_floor: { text: "processor time of an HTTP call, relative to a bare echo server" },
  server_cpu_vs_mcp_lite: { text: "processor time of an HTTP call, relative to mcp-lite" },
  server_memory_vs_floor: { text: "memory of an HTTP server, relative to a bare echo server" },
  server_cpu_1000_tools_vs_1: {
    text: "processor time of an HTTP call with 1,000 tools, relative to one tool",
  },
  server_cpu_1000_sessions_vs_1: {
    text: "processor time of an HTTP call with 1,000 sessions, relative to one session",
  },
  client_cpu_vs_sdk_v1: { text: "processor time of an HTTP client, relative to SDK v1" },
  client_cpu_vs_sdk_v2: { text: "processor time of an HTTP client, relative to SDK v2" },
  in_process_vs_sdk_v2: {
    text: "calls per second between a client and a server in one process, relative to SDK v2",
  },
  stdio_time_vs_floor: { text: "time of a call over stdio, relative to an exchange of bare lines" },

  canonicalize_400b_vs_canonicalize: {
    text: "speed for 400 bytes of JSON, relative to the `canonicalize` package",
  },
  canonicalize_1mb_vs_canonicalize: {
    text: "speed for 1 MB of JSON, relative to the `canonicalize` package",
  },
  canonicalize_any_shape_vs_fastest: {
    text: "lowest speed for 12 shapes of JSON, relative to the fastest of three libraries",
  },
  parse_500b_cost_vs_json_parse: {
    text: "time of parsing a message of 500 bytes, relative to `JSON.parse`",
  },
  parse_16kb_cost_vs_json_parse: {
    text: "time of parsing a message of 16 kB, relative to `JSON.parse`",
  },
  verify_1000_senders_cost_vs_one: {
    text: "time of verifying messages from 1,000 senders in turn, relative to one sender",
  },
  message_vs_native: {
    text:
      "speed of creating, signing, encoding, decoding and verifying a message, relative to signing and verifying alone (WebCrypto)",
  },
  message_vs_jose: {
    text:
      "speed of creating, signing, encoding, decoding and verifying a message, relative to `jose`",
  },
  channel_vs_transform_stream: { text: "speed of a channel, relative to `TransformStream`" },
  channel_growth_mb: { text: "memory growth while a channel is in use", unit: "MB" },
  verify_known_did_key_vs_native: {
    text:
      "speed of verifying a message from a known sender, relative to verifying alone (WebCrypto)",
  },
  replay_guard_full_cost_vs_filling: {
    text: "time per message of a full replay guard, relative to a guard that is filling",
  },
  replay_guard_steady_cost_vs_filling: {
    text:
      "time per message of a replay guard whose entries expire, relative to a guard that is filling",
  },

  messageClientCpuToHandMade: {
    text: "client's processor time per queued message, relative to a hand-made table",
  },
  messageServerCpuToHandMade: {
    text: "PostgreSQL's processor time per queued message, relative to a hand-made table",
  },
  cpuPgBossToHandMade: { text: "processor time of a durable run, relative to a hand-made journal" },
  storageKbPerRun: { text: "storage of a durable run with 11 recorded steps", unit: "kB" },
  takeoverSecondsP95: {
    text: "time until another process continues a run after a crash (95th percentile)",
    unit: "s",
  },
};
