/**
 * Messages that open and keep a session, and notifications.
 *
 * @module
 */

import {
  at,
  CACHED,
  cachedResultOf,
  type Change,
  CLIENT_CAPABILITIES,
  CLIENT_CAPABILITY_CHANGES,
  type MessageRow,
  MISSING,
  type Part,
  PROGRAM,
  PROGRAM_CHANGES,
  requestOf,
  RESULT_META,
  resultOf,
} from "./message_row.ts";

const LEGACY = ["2024-11-05", "2025-11-25"] as const;
const MODERN = ["2026-07-28", "2026-07-28"] as const;

const SERVER_CAPABILITIES = {
  experimental: { any: {} },
  logging: {},
  completions: {},
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  tools: { listChanged: true },
  tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
  extensions: { any: {} },
};

const SERVER_CAPABILITY_CHANGES: readonly Change[] = [
  ["experimental", []],
  ["experimental.any", 1],
  ["logging", true],
  ["completions", true, "2025-03-26"],
  ["prompts", true],
  ["prompts.listChanged", "yes"],
  ["resources", true],
  ["resources.subscribe", "yes"],
  ["resources.listChanged", "yes"],
  ["tools", true],
  ["tools.listChanged", "yes"],
  ["tasks", true, "2025-11-25", "2025-11-25"],
  ["tasks.list", true, "2025-11-25", "2025-11-25"],
  ["tasks.cancel", true, "2025-11-25", "2025-11-25"],
  ["tasks.requests", true, "2025-11-25", "2025-11-25"],
  ["tasks.requests.tools", true, "2025-11-25", "2025-11-25"],
  ["tasks.requests.tools.call", true, "2025-11-25", "2025-11-25"],
  ["extensions", [], "2026-07-28"],
  ["extensions.any", true, "2026-07-28"],
];

function notificationOf(method: string, params: object): Part {
  const subscriptionId = { "io.modelcontextprotocol/subscriptionId": 1 };
  return { jsonrpc: "2.0", method, params: { _meta: subscriptionId, ...params } };
}

const BARE: readonly MessageRow[] = ["tools", "prompts", "resources"].map((kind) => ({
  from: "server",
  message: notificationOf(`notifications/${kind}/list_changed`, {}),
  wrong: [],
}));

const LEGACY_BARE: readonly MessageRow[] = [
  "notifications/initialized",
  "notifications/roots/list_changed",
].map((method) => ({
  from: "client",
  versions: LEGACY,
  message: notificationOf(method, {}),
  wrong: [],
}));

const PROGRESS: Omit<MessageRow, "from"> = {
  message: notificationOf("notifications/progress", {
    progressToken: "t",
    progress: 0.5,
    total: 1.5,
    message: "half",
  }),
  wrong: [
    ["params", MISSING],
    ["params.progressToken", MISSING],
    ["params.progressToken", true],
    ["params.progress", MISSING],
    ["params.progress", "half"],
    ["params.total", "1"],
    ["params.message", 1, "2025-03-26"],
  ],
};

const CANCELLED: MessageRow = {
  from: "client",
  message: notificationOf("notifications/cancelled", { requestId: 1, reason: "late" }),
  wrong: [
    ["params", MISSING],
    ["params.requestId", null],
    ["params.reason", 1],
  ],
};

/** Only 2025-11-25 has cancellations without the id of a request, for tasks. */
const WITHOUT_ID: readonly Change[] = [["params.requestId", MISSING]];

const FILTER = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: ["file:///a"],
  taskIds: ["t"],
};

const FILTER_CHANGES: readonly Change[] = [
  ["params.notifications", MISSING],
  ["params.notifications", []],
  ["params.notifications.toolsListChanged", "yes"],
  ["params.notifications.promptsListChanged", "yes"],
  ["params.notifications.resourcesListChanged", "yes"],
  ["params.notifications.resourceSubscriptions", "file:///a"],
  ["params.notifications.resourceSubscriptions[0]", 1],
  ["params.notifications.taskIds", "t"],
  ["params.notifications.taskIds[0]", 1],
];

export const SESSION_ROWS: readonly MessageRow[] = [
  {
    from: "client",
    versions: LEGACY,
    message: requestOf("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: CLIENT_CAPABILITIES,
      clientInfo: PROGRAM,
    }),
    wrong: [
      ["params", MISSING],
      ["params.protocolVersion", MISSING],
      ["params.protocolVersion", 20251125],
      ["params.capabilities", MISSING],
      ["params.capabilities", []],
      ["params.clientInfo", MISSING],
      ["params.clientInfo", "program"],
      ...at("params.capabilities", CLIENT_CAPABILITY_CHANGES),
      ...at("params.clientInfo", PROGRAM_CHANGES),
    ],
  },
  {
    from: "server",
    method: "initialize",
    versions: LEGACY,
    message: resultOf({
      protocolVersion: "2025-11-25",
      capabilities: SERVER_CAPABILITIES,
      serverInfo: PROGRAM,
      instructions: "Add numbers",
    }),
    wrong: [
      ["result.protocolVersion", MISSING],
      ["result.protocolVersion", 1],
      ["result.capabilities", MISSING],
      ["result.capabilities", []],
      ["result.serverInfo", MISSING],
      ["result.serverInfo", "program"],
      ["result.instructions", ["Add numbers"]],
      ...at("result.capabilities", SERVER_CAPABILITY_CHANGES),
      ...at("result.serverInfo", PROGRAM_CHANGES),
    ],
  },
  {
    from: "client",
    versions: MODERN,
    message: requestOf("server/discover", {}),
    wrong: [["params", MISSING]],
  },
  {
    from: "server",
    method: "server/discover",
    versions: MODERN,
    message: cachedResultOf({
      supportedVersions: ["2026-07-28"],
      capabilities: SERVER_CAPABILITIES,
      instructions: "Add numbers",
    }),
    wrong: [
      ...CACHED,
      ["result.resultType", MISSING],
      ["result.resultType", 1],
      ["result.resultType", "input_required"],
      ["result.supportedVersions", MISSING],
      ["result.supportedVersions", "2026-07-28"],
      ["result.supportedVersions[0]", 20260728],
      ["result.capabilities", MISSING],
      ["result.capabilities", []],
      ["result.instructions", ["Add numbers"]],
      ...at("result.capabilities", SERVER_CAPABILITY_CHANGES),
    ],
  },
  {
    from: "client",
    versions: LEGACY,
    message: requestOf("ping", {}),
    wrong: [["params", []], ["params._meta", []], ["params._meta.progressToken", true]],
  },
  {
    from: "client",
    method: "ping",
    versions: LEGACY,
    message: resultOf({}),
    wrong: [["result", []], ["result", "pong"], ["result._meta", []]],
  },
  ...["resources/subscribe", "resources/unsubscribe"].map((method): MessageRow => ({
    from: "client",
    versions: LEGACY,
    message: requestOf(method, { uri: "file:///a" }),
    wrong: [
      ["params", MISSING],
      ["params.uri", MISSING],
      ["params.uri", 1],
      ["params.uri", "a"],
    ],
  })),
  {
    from: "client",
    versions: LEGACY,
    message: requestOf("logging/setLevel", { level: "emergency" }),
    wrong: [["params", MISSING], ["params.level", MISSING], ["params.level", "loud"]],
  },
  {
    from: "client",
    versions: MODERN,
    message: requestOf("subscriptions/listen", { notifications: FILTER }),
    wrong: [["params", MISSING], ...FILTER_CHANGES],
  },
  {
    from: "server",
    method: "subscriptions/listen",
    versions: MODERN,
    message: resultOf({ _meta: { ...RESULT_META, "io.modelcontextprotocol/subscriptionId": 1 } }),
    wrong: [
      ["result._meta", MISSING],
      ['result._meta["io.modelcontextprotocol/subscriptionId"]', MISSING],
      ['result._meta["io.modelcontextprotocol/subscriptionId"]', null],
    ],
  },
  {
    from: "server",
    versions: MODERN,
    message: notificationOf("notifications/subscriptions/acknowledged", { notifications: FILTER }),
    wrong: [["params", MISSING], ...FILTER_CHANGES],
  },
  ...BARE,
  ...LEGACY_BARE,
  { ...PROGRESS, from: "server" },
  { ...PROGRESS, from: "client", versions: LEGACY },
  CANCELLED,
  { ...CANCELLED, from: "server" },
  { ...CANCELLED, versions: ["2024-11-05", "2025-06-18"], wrong: WITHOUT_ID },
  { ...CANCELLED, versions: MODERN, wrong: WITHOUT_ID },
  {
    from: "server",
    message: notificationOf("notifications/message", { level: "info", logger: "a", data: null }),
    wrong: [
      ["params", MISSING],
      ["params.level", MISSING],
      ["params.level", "loud"],
      ["params.data", MISSING],
      ["params.logger", 1],
    ],
  },
  {
    from: "server",
    message: notificationOf("notifications/resources/updated", { uri: "file:///a" }),
    wrong: [["params", MISSING], ["params.uri", MISSING], ["params.uri", "a"], ["params.uri", 1]],
  },
];
