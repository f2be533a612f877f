/**
 * Tools, resources, prompts and completion.
 *
 * @module
 */

import {
  allContentChanges,
  CONTENT,
  contentChanges,
  CONTENTS,
  CONTENTS_CHANGES,
  EMBEDDED_CHANGES,
  IMAGE_CHANGES,
  LINK_CHANGES,
  NEW_CONTENT,
  newContentChanges,
  RESOURCE,
  RESOURCE_CHANGES,
  TEXT,
} from "./content_rows.ts";
import {
  at,
  CACHED,
  cachedResultOf,
  type Change,
  from,
  ICONS,
  type MessageRow,
  MISSING,
  type Part,
  PROGRAM,
  requestOf,
  resultOf,
} from "./message_row.ts";

const { icons } = PROGRAM;

/** A tool. */
export const TOOL: Part = {
  name: "add",
  title: "Add",
  description: "Adds",
  icons,
  inputSchema: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: { a: { type: "number" } },
    required: ["a"],
  },
  outputSchema: { type: "object", properties: { sum: {} }, required: ["sum"], $schema: "x" },
  annotations: {
    title: "Add",
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  execution: { taskSupport: "optional" },
  _meta: {},
};

/** The changes of {@linkcode TOOL}. */
export const TOOL_CHANGES: readonly Change[] = [
  ["name", MISSING],
  ["name", 1],
  ["title", 1, "2025-06-18"],
  ["description", 1],
  ...ICONS,
  ["inputSchema", MISSING],
  ["inputSchema", []],
  ["inputSchema.type", MISSING],
  ["inputSchema.type", "array"],
  ["inputSchema.properties", [], "2024-11-05", "2025-11-25"],
  ["inputSchema.properties.a", true, "2024-11-05", "2025-11-25"],
  ["inputSchema.required", "a", "2024-11-05", "2025-11-25"],
  ["inputSchema.required[0]", 1, "2024-11-05", "2025-11-25"],
  ["inputSchema.$schema", 1, "2025-11-25"],
  ["outputSchema", [], "2025-06-18"],
  ["outputSchema.type", MISSING, "2025-06-18", "2025-11-25"],
  ["outputSchema.type", "array", "2025-06-18", "2025-11-25"],
  ["outputSchema.properties", [], "2025-06-18", "2025-11-25"],
  ["outputSchema.properties.sum", true, "2025-06-18", "2025-11-25"],
  ["outputSchema.required", "sum", "2025-06-18", "2025-11-25"],
  ["outputSchema.required[0]", 1, "2025-06-18", "2025-11-25"],
  ["outputSchema.$schema", 1, "2025-11-25"],
  ["annotations", [], "2025-03-26"],
  ["annotations.title", 1, "2025-03-26"],
  ["annotations.readOnlyHint", "yes", "2025-03-26"],
  ["annotations.destructiveHint", "yes", "2025-03-26"],
  ["annotations.idempotentHint", "yes", "2025-03-26"],
  ["annotations.openWorldHint", 1, "2025-03-26"],
  ["execution", true, "2025-11-25", "2025-11-25"],
  ["execution.taskSupport", "yes", "2025-11-25", "2025-11-25"],
  ["_meta", [], "2025-06-18"],
];

const LIST_REQUEST_CHANGES: readonly Change[] = [
  ["params.cursor", 1],
  ["params", MISSING, "2026-07-28"],
];

function listRows(method: string, name: string, item: object, changes: readonly Change[]) {
  const rows: readonly MessageRow[] = [
    { from: "client", message: requestOf(method, { cursor: "2" }), wrong: LIST_REQUEST_CHANGES },
    {
      from: "server",
      method,
      message: cachedResultOf({ [name]: [item], nextCursor: "2" }),
      wrong: [
        ...CACHED,
        [`result.${name}`, MISSING],
        [`result.${name}`, {}],
        [`result.${name}[0]`, "a"],
        ["result.nextCursor", 2],
        ["result._meta", []],
        ["result", []],
        ...at(`result.${name}[0]`, changes),
      ],
    },
  ];
  return rows;
}

const TEMPLATE = { ...RESOURCE, uriTemplate: "file:///{name}" };
const TEMPLATE_CHANGES: readonly Change[] = [
  ...RESOURCE_CHANGES.filter(([path]) => path !== "uri" && path !== "size"),
  ["uriTemplate", MISSING],
  ["uriTemplate", 1],
];

const PROMPT = {
  name: "review",
  title: "Review",
  description: "Reviews",
  icons,
  arguments: [{ name: "code", title: "Code", description: "The code", required: true }],
  _meta: {},
};

const PROMPT_CHANGES: readonly Change[] = [
  ["name", MISSING],
  ["name", 1],
  ["title", 1, "2025-06-18"],
  ["description", 1],
  ["_meta", [], "2025-06-18"],
  ...ICONS,
  ["arguments", {}],
  ["arguments[0]", "code"],
  ["arguments[0].name", MISSING],
  ["arguments[0].name", 1],
  ["arguments[0].title", 1, "2025-06-18"],
  ["arguments[0].description", 1],
  ["arguments[0].required", "yes"],
];

const NEW_PROMPT_RESULT: MessageRow = {
  from: "server",
  method: "prompts/get",
  versions: ["2025-06-18", "2026-07-28"],
  message: resultOf({ messages: NEW_CONTENT.map((content) => ({ role: "user", content })) }),
  wrong: [
    ...at("result.messages[3].content", IMAGE_CHANGES),
    ...at("result.messages[4].content", LINK_CHANGES),
  ],
};

const PROMPT_RESULT: MessageRow = {
  from: "server",
  method: "prompts/get",
  message: resultOf({
    description: "A review",
    messages: CONTENT.map((content) => ({ role: "user", content })),
  }),
  wrong: [
    ["result.description", 1],
    ["result.messages", MISSING],
    ["result.messages", {}],
    ["result.messages[0]", "abc"],
    ["result.messages[0].role", MISSING],
    ["result.messages[0].role", "system"],
    ["result.messages[0].content", MISSING],
    ["result.messages[0].content", [TEXT]],
    ...contentChanges("result.messages[0].content"),
    ...at("result.messages[1].content", IMAGE_CHANGES),
    ...at("result.messages[2].content", EMBEDDED_CHANGES),
  ],
};

const COMPLETION: readonly MessageRow[] = [
  {
    from: "client",
    message: requestOf("completion/complete", {
      ref: { type: "ref/prompt", name: "review", title: "Review" },
      argument: { name: "code", value: "a" },
      context: { arguments: { other: "b" } },
    }),
    wrong: [
      ["params", MISSING],
      ["params.ref", MISSING],
      ["params.ref.type", MISSING],
      ["params.ref.type", "ref/tool"],
      ["params.ref.name", MISSING],
      ["params.ref.name", 1],
      ["params.ref.title", 1, "2025-06-18"],
      ["params.ref", { type: "ref/resource" }],
      ["params.ref", { type: "ref/resource", uri: 1 }],
      ["params.argument", MISSING],
      ["params.argument.name", MISSING],
      ["params.argument.name", 1],
      ["params.argument.value", MISSING],
      ["params.argument.value", 1],
      ["params.argument", "code"],
      ["params.context", [], "2025-06-18"],
      ["params.context.arguments", [], "2025-06-18"],
      ["params.context.arguments.other", 1, "2025-06-18"],
    ],
  },
  {
    from: "server",
    method: "completion/complete",
    message: resultOf({ completion: { values: ["abc"], total: 3, hasMore: true } }),
    wrong: [
      ["result.resultType", "input_required", "2026-07-28"],
      ["result.completion", MISSING],
      ["result.completion", ["abc"]],
      ["result.completion.values", MISSING],
      ["result.completion.values", "abc"],
      ["result.completion.values[0]", 1],
      ["result.completion.values", Array.from({ length: 101 }, () => "a")],
      ["result.completion.total", "3"],
      ["result.completion.total", 1.5],
      ["result.completion.hasMore", "yes"],
    ],
  },
];

/** Changes of the members with which a modern client repeats a request. */
const RETRIED: readonly Change[] = from("2026-07-28", [
  ["params.requestState", 1],
  ["params.inputResponses", []],
  ["params.inputResponses.name", {}],
  ["params.inputResponses.name.action", "yes"],
]);

const RETRY = {
  requestState: "s",
  inputResponses: { name: { action: "accept", content: { name: "Ada" } } },
};

export const SERVER_ROWS: readonly MessageRow[] = [
  ...listRows("tools/list", "tools", TOOL, TOOL_CHANGES),
  ...listRows("resources/list", "resources", RESOURCE, RESOURCE_CHANGES),
  ...listRows("resources/templates/list", "resourceTemplates", TEMPLATE, TEMPLATE_CHANGES),
  ...listRows("prompts/list", "prompts", PROMPT, PROMPT_CHANGES),
  {
    from: "client",
    message: requestOf("tools/call", { name: "add", arguments: {}, task: { ttl: 1 }, ...RETRY }),
    wrong: [
      ["params", MISSING],
      ["params.name", MISSING],
      ["params.name", 1],
      ["params.arguments", []],
      ["params.task", true, "2025-11-25", "2025-11-25"],
      ["params.task.ttl", "1", "2025-11-25", "2025-11-25"],
      ...RETRIED,
    ],
  },
  {
    from: "server",
    method: "tools/call",
    message: resultOf({ content: CONTENT, structuredContent: {}, isError: false }),
    wrong: [
      ["result.content", MISSING],
      ["result.content", {}],
      ["result.structuredContent", [1], "2025-06-18", "2025-11-25"],
      ["result.isError", "no"],
      ...allContentChanges("result.content"),
    ],
  },
  {
    from: "server",
    method: "tools/call",
    versions: ["2025-06-18", "2026-07-28"],
    message: resultOf({ content: NEW_CONTENT }),
    wrong: newContentChanges("result.content"),
  },
  {
    from: "client",
    message: requestOf("prompts/get", { name: "review", arguments: { code: "a" }, ...RETRY }),
    wrong: [
      ["params", MISSING],
      ["params.name", MISSING],
      ["params.name", 1],
      ["params.arguments", []],
      ["params.arguments.code", 1],
      ...RETRIED,
    ],
  },
  PROMPT_RESULT,
  NEW_PROMPT_RESULT,
  {
    from: "client",
    message: requestOf("resources/read", { uri: "file:///a.txt", ...RETRY }),
    wrong: [
      ["params", MISSING],
      ["params.uri", MISSING],
      ["params.uri", 1],
      ["params.uri", "a"],
      ...RETRIED,
    ],
  },
  {
    from: "server",
    method: "resources/read",
    message: cachedResultOf({ contents: [CONTENTS, { uri: "a:b", blob: "AAEC" }] }),
    wrong: [
      ...CACHED,
      ["result.contents", MISSING],
      ["result.contents", {}],
      ...at("result.contents[0]", CONTENTS_CHANGES),
      ["result.contents[1].blob", MISSING],
      ["result.contents[1].blob", 1],
    ],
  },
  ...COMPLETION,
];
