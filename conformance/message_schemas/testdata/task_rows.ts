/**
 * Tasks, input in the results of modern servers, and skills.
 *
 * @module
 */

import { IMAGE, IMAGE_CHANGES } from "./content_rows.ts";
import { ANSWER, ANSWER_CHANGES } from "./form_rows.ts";
import {
  BLOCKS,
  BLOCKS_CHANGES,
  INPUT_REQUEST_CHANGES,
  INPUT_REQUESTS,
  ROOTS,
  ROOTS_CHANGES,
  SAMPLED,
  SAMPLED_CHANGES,
} from "./input_rows.ts";
import {
  at,
  CACHED,
  cachedResultOf,
  type Change,
  type MessageRow,
  MISSING,
  requestOf,
  resultOf,
} from "./message_row.ts";

const LEGACY = ["2025-11-25", "2025-11-25"] as const;
const MODERN = ["2026-07-28", "2026-07-28"] as const;

const TIMES = { createdAt: "2026-01-01T00:00:00Z", lastUpdatedAt: "2026-01-01T00:00:01Z" };
const TASK = {
  taskId: "1",
  status: "working",
  statusMessage: "Working",
  ...TIMES,
  ttl: null,
  pollInterval: 5,
};
const MODERN_TASK = {
  taskId: "1",
  status: "working",
  statusMessage: "Working",
  ...TIMES,
  ttlMs: 1000,
  pollIntervalMs: 5,
};

const COMMON_CHANGES: readonly Change[] = [
  ["taskId", MISSING],
  ["taskId", 1],
  ["status", MISSING],
  ["status", "done"],
  ["statusMessage", 1],
  ["createdAt", MISSING],
  ["createdAt", 1],
  ["lastUpdatedAt", MISSING],
  ["lastUpdatedAt", 1],
];

const TASK_CHANGES: readonly Change[] = [
  ...COMMON_CHANGES,
  ["ttl", MISSING],
  ["ttl", "1"],
  ["ttl", 0.5],
  ["pollInterval", "5"],
];

const MODERN_TASK_CHANGES: readonly Change[] = [
  ...COMMON_CHANGES,
  ["ttlMs", MISSING],
  ["ttlMs", "1"],
  ["ttlMs", 0.5],
  ["pollIntervalMs", "5"],
];

const ID_CHANGES: readonly Change[] = [
  ["params", MISSING],
  ["params.taskId", MISSING],
  ["params.taskId", 1],
];

function legacyRows(from: MessageRow["from"]): readonly MessageRow[] {
  const common = { from, versions: LEGACY };
  const other = from === "client" ? "server" : "client";
  const rows = ["tasks/get", "tasks/result", "tasks/cancel"].map((method): MessageRow => ({
    ...common,
    message: requestOf(method, { taskId: "1" }),
    wrong: ID_CHANGES,
  }));
  const results = ["tasks/get", "tasks/cancel"].map((method): MessageRow => ({
    from: other,
    method,
    versions: LEGACY,
    message: resultOf(TASK),
    wrong: at("result", TASK_CHANGES),
  }));
  return [
    ...rows,
    ...results,
    { ...common, message: requestOf("tasks/list", { cursor: "2" }), wrong: [["params.cursor", 2]] },
    {
      from: other,
      method: "tasks/list",
      versions: LEGACY,
      message: resultOf({ tasks: [TASK], nextCursor: "2" }),
      wrong: [
        ["result.tasks", MISSING],
        ["result.tasks", {}],
        ["result.nextCursor", 2],
        ...at("result.tasks[0]", TASK_CHANGES),
      ],
    },
    {
      from: other,
      method: "tasks/result",
      versions: LEGACY,
      message: resultOf({ content: [] }),
      wrong: [["result", []], ["result._meta", []]],
    },
    {
      ...common,
      message: { jsonrpc: "2.0", method: "notifications/tasks/status", params: TASK },
      wrong: [["params", MISSING], ...at("params", TASK_CHANGES)],
    },
  ];
}

const CREATED_LEGACY: readonly MessageRow[] = [
  ["server", "tools/call"] as const,
  ["client", "sampling/createMessage"] as const,
  ["client", "elicitation/create"] as const,
].map(([from, method]) => ({
  from,
  method,
  versions: LEGACY,
  message: resultOf({ task: TASK }),
  wrong: at("result.task", TASK_CHANGES),
}));

/** The state of a task, in a result or in a notification. */
function stateRows(method: string | undefined): readonly MessageRow[] {
  const place = method === undefined ? "params" : "result";
  const common = { from: "server", versions: MODERN } as const;
  const rowOf = (state: object, wrong: readonly Change[]): MessageRow => {
    const value = { ...MODERN_TASK, ...state };
    return {
      ...common,
      ...(method === undefined ? {} : { method }),
      message: method === undefined
        ? { jsonrpc: "2.0", method: "notifications/tasks", params: value }
        : resultOf(value),
      wrong: at(place, wrong),
    };
  };
  return [
    rowOf({}, MODERN_TASK_CHANGES),
    rowOf({ status: "cancelled", ttlMs: null }, []),
    rowOf({ status: "input_required", inputRequests: INPUT_REQUESTS }, [
      ["inputRequests", MISSING],
      ["inputRequests", []],
      ...at("inputRequests", INPUT_REQUEST_CHANGES),
    ]),
    rowOf({ status: "completed", result: { content: [] } }, [
      ["result", MISSING],
      ["result", []],
    ]),
    rowOf({ status: "failed", error: { code: -1, message: "No" } }, [
      ["error", MISSING],
      ["error", "No"],
      ["error.code", MISSING],
      ["error.code", "1"],
      ["error.message", MISSING],
      ["error.message", 1],
    ]),
  ];
}

const INPUT_REQUIRED: readonly MessageRow[] = ["tools/call", "prompts/get", "resources/read"]
  .map((method) => ({
    from: "server",
    method,
    versions: MODERN,
    message: resultOf({ resultType: "input_required", inputRequests: INPUT_REQUESTS }),
    wrong: [
      ["result.inputRequests", MISSING],
      ["result.inputRequests", []],
      ["result.requestState", 1],
      ...at("result.inputRequests", INPUT_REQUEST_CHANGES),
    ],
  }));

const RESPONSES = {
  a: SAMPLED,
  b: ANSWER,
  c: ROOTS,
  d: { ...SAMPLED, content: BLOCKS },
  e: { ...SAMPLED, content: IMAGE },
};

const RESPONSE_CHANGES: readonly Change[] = at("params.inputResponses", [
  ["a", "small"],
  ["a._meta", []],
  ...at("a", SAMPLED_CHANGES),
  ...at("b", ANSWER_CHANGES),
  ...at("c", ROOTS_CHANGES),
  ...at("d.content", BLOCKS_CHANGES),
  ...at("e.content", IMAGE_CHANGES),
]);

const SKILL = {
  uri: "skill://a/SKILL.md",
  frontmatter: { name: "a", description: "A" },
  resources: [{ uri: "skill://a/SKILL.md", digest: `sha256:${"0a".repeat(32)}`, size: 3 }],
};

const SKILL_CHANGES: readonly Change[] = [
  ["uri", MISSING],
  ["uri", "a"],
  ["uri", 1],
  ["frontmatter", MISSING],
  ["frontmatter", "name: a"],
  ["frontmatter.name", MISSING],
  ["frontmatter.name", 1],
  ["frontmatter.description", MISSING],
  ["frontmatter.description", 1],
  ["resources", MISSING],
  ["resources", "static"],
  ["resources", {}],
  ["resources[0].uri", MISSING],
  ["resources[0].uri", 1],
  ["resources[0].uri", "a"],
  ["resources[0].digest", MISSING],
  ["resources[0].digest", "sha256:0"],
  ["resources[0].digest", 1],
  ["resources[0].size", MISSING],
  ["resources[0].size", -1],
  ["resources[0].size", "3"],
];

const SKILLS: readonly MessageRow[] = [
  {
    from: "server",
    method: "skills/list",
    versions: MODERN,
    message: cachedResultOf({ skills: [SKILL, { ...SKILL, resources: "dynamic" }] }),
    wrong: [
      ...CACHED,
      ["result.skills", MISSING],
      ["result.skills", {}],
      ["result.skills[0]", "skill://a/SKILL.md"],
      ["result.nextCursor", 1],
      ...at("result.skills[0]", SKILL_CHANGES),
    ],
  },
  {
    from: "server",
    method: "skills/get",
    versions: MODERN,
    message: resultOf({ skill: SKILL }),
    wrong: [["result.skill", MISSING], ...at("result.skill", SKILL_CHANGES)],
  },
  {
    from: "server",
    method: "resources/directory/read",
    versions: MODERN,
    message: resultOf({ resources: [{ uri: "skill://a/b", name: "b" }], nextCursor: "2" }),
    wrong: [
      ["result.resources", MISSING],
      ["result.resources", {}],
      ["result.resources[0]", "skill://a/b"],
      ["result.resources[0].uri", MISSING],
      ["result.nextCursor", 1],
    ],
  },
  ...["skills/get", "resources/directory/read"].map((method): MessageRow => ({
    from: "client",
    versions: MODERN,
    message: requestOf(method, { uri: "skill://a/SKILL.md" }),
    wrong: [["params.uri", MISSING], ["params.uri", 1], ["params.uri", "a"]],
  })),
  {
    from: "client",
    versions: MODERN,
    message: requestOf("skills/list", { cursor: "2" }),
    wrong: [["params.cursor", 2]],
  },
  {
    from: "client",
    versions: MODERN,
    message: requestOf("resources/directory/read", { uri: "a:b", cursor: "2" }),
    wrong: [["params.cursor", 2]],
  },
];

export const TASK_ROWS: readonly MessageRow[] = [
  ...legacyRows("client"),
  ...legacyRows("server"),
  ...CREATED_LEGACY,
  {
    from: "server",
    method: "tools/call",
    versions: MODERN,
    message: resultOf({ resultType: "task", ...MODERN_TASK }),
    wrong: at("result", MODERN_TASK_CHANGES),
  },
  ...stateRows("tasks/get"),
  ...stateRows(undefined),
  ...["tasks/get", "tasks/cancel"].map((method): MessageRow => ({
    from: "client",
    versions: MODERN,
    message: requestOf(method, { taskId: "1" }),
    wrong: ID_CHANGES,
  })),
  {
    from: "client",
    versions: MODERN,
    message: requestOf("tasks/update", { taskId: "1", inputResponses: RESPONSES }),
    wrong: [
      ...ID_CHANGES,
      ["params.inputResponses", MISSING],
      ["params.inputResponses", []],
      ...RESPONSE_CHANGES,
    ],
  },
  {
    from: "client",
    versions: MODERN,
    message: requestOf("tools/call", { name: "add", inputResponses: RESPONSES }),
    wrong: RESPONSE_CHANGES,
  },
  ...INPUT_REQUIRED,
  ...SKILLS,
];
