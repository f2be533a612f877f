/**
 * Requests of a server to a client: messages of a model, roots and input of a user.
 *
 * @module
 */

import {
  AUDIO,
  CONTENT,
  IMAGE,
  IMAGE_CHANGES,
  NEW_CONTENT,
  newContentChanges,
  TEXT,
  TEXT_CHANGES,
} from "./content_rows.ts";
import {
  ANSWER,
  ANSWER_CHANGES,
  CHOICE_CHANGES,
  CHOICES,
  FORM,
  FORM_CHANGES,
  PAGE,
  PAGE_CHANGES,
} from "./form_rows.ts";
import {
  at,
  type Change,
  from,
  type MessageRow,
  MISSING,
  type Part,
  requestOf,
  resultOf,
} from "./message_row.ts";
import { TOOL, TOOL_CHANGES } from "./server_rows.ts";

const LEGACY = ["2024-11-05", "2025-11-25"] as const;
const TASKS = ["2025-11-25", "2025-11-25"] as const;

const TOOL_USE = { type: "tool_use", id: "1", name: "add", input: {}, _meta: {} };
const TOOL_RESULT = {
  type: "tool_result",
  toolUseId: "1",
  content: NEW_CONTENT,
  structuredContent: {},
  isError: false,
  _meta: {},
};

const MESSAGES = [
  { role: "user", content: TEXT, _meta: {} },
  { role: "assistant", content: IMAGE },
];

const SAMPLING = {
  messages: MESSAGES,
  modelPreferences: {
    hints: [{ name: "small" }],
    costPriority: 0,
    speedPriority: 1,
    intelligencePriority: 0.5,
  },
  systemPrompt: "Be brief",
  includeContext: "none",
  temperature: 0.7,
  maxTokens: 100,
  stopSequences: ["END"],
  metadata: {},
  tools: [TOOL],
  toolChoice: { mode: "auto" },
  task: { ttl: 1 },
};

const SAMPLED_CONTENT: readonly Change[] = [
  ["content", MISSING],
  ["content", "abc"],
  ["content", CONTENT[2]],
  ["content", AUDIO, "2024-11-05", "2024-11-05"],
  ["content", [TEXT], "2024-11-05", "2025-06-18"],
  ["content", ["abc"]],
  ["content", TOOL_USE, "2024-11-05", "2025-06-18"],
  ...at("content", TEXT_CHANGES),
];

const SAMPLING_CHANGES: readonly Change[] = [
  ["messages", MISSING],
  ["messages", {}],
  ["messages[0]", "abc"],
  ["messages[0].role", MISSING],
  ["messages[0].role", "system"],
  ["messages[0]._meta", [], "2025-11-25"],
  ...at("messages[0]", SAMPLED_CONTENT),
  ...at("messages[1].content", IMAGE_CHANGES),
  ["modelPreferences", []],
  ["modelPreferences.hints", {}],
  ["modelPreferences.hints[0]", "small"],
  ["modelPreferences.hints[0].name", 1],
  ["modelPreferences.costPriority", -1],
  ["modelPreferences.costPriority", 2],
  ["modelPreferences.costPriority", "low"],
  ["modelPreferences.speedPriority", 2],
  ["modelPreferences.speedPriority", -1],
  ["modelPreferences.speedPriority", "low"],
  ["modelPreferences.intelligencePriority", 2],
  ["modelPreferences.intelligencePriority", -1],
  ["modelPreferences.intelligencePriority", "low"],
  ["systemPrompt", 1],
  ["includeContext", "some"],
  ["temperature", "hot"],
  ["maxTokens", MISSING],
  ["maxTokens", "100"],
  ["maxTokens", 1.5],
  ["stopSequences", "END"],
  ["stopSequences[0]", 1],
  ["metadata", []],
  ["tools", {}, "2025-11-25"],
  ...from("2025-11-25", at("tools[0]", TOOL_CHANGES)),
  ["toolChoice", "auto", "2025-11-25"],
  ["toolChoice.mode", "any", "2025-11-25"],
  ["task", true, "2025-11-25", "2025-11-25"],
  ["task.ttl", "1", "2025-11-25", "2025-11-25"],
];

export const SAMPLED: Part = {
  role: "assistant",
  content: TEXT,
  model: "small",
  stopReason: "end",
  _meta: {},
};

export const SAMPLED_CHANGES: readonly Change[] = [
  ["role", MISSING],
  ["role", "system"],
  ["model", MISSING],
  ["model", 1],
  ["stopReason", 1],
  ...SAMPLED_CONTENT,
];

/** Blocks with which a model calls a tool. */
export const BLOCKS: readonly Part[] = [TOOL_USE, TOOL_RESULT];

/** The changes of {@linkcode BLOCKS}. */
export const BLOCKS_CHANGES: readonly Change[] = [
  ...at("[0]", [["input", MISSING], ["input", "{}"], ["id", MISSING], ["id", 1]]),
  ...at("[0]", [["name", MISSING], ["name", 1], ["_meta", []], ["type", "tool"]]),
  ...at("[1]", [["toolUseId", MISSING], ["toolUseId", 1], ["content", MISSING], ["_meta", []]]),
  ...at("[1]", [["content", "abc"], ["content[0]", TOOL_USE], ["isError", "no"]]),
  ["[1].structuredContent", [], "2025-11-25", "2025-11-25"],
  ...newContentChanges("[1].content"),
];

export const ROOTS: Part = { roots: [{ uri: "file:///a", name: "a", _meta: {} }], _meta: {} };

export const ROOTS_CHANGES: readonly Change[] = [
  ["roots", MISSING],
  ["roots", {}],
  ["roots[0]", "file:///a"],
  ["roots[0].uri", MISSING],
  ["roots[0].uri", 1],
  ["roots[0].uri", "a"],
  ["roots[0].name", 1],
  ["roots[0]._meta", [], "2025-06-18"],
];

export const INPUT_REQUESTS: Part = {
  a: { method: "sampling/createMessage", params: { ...SAMPLING, messages: [] } },
  b: { method: "elicitation/create", params: { ...FORM, ...PAGE } },
  c: { method: "elicitation/create", params: FORM },
  d: { method: "roots/list", params: { _meta: {} } },
  e: { method: "elicitation/create", params: CHOICES },
  f: {
    method: "sampling/createMessage",
    params: {
      messages: [{ role: "user", content: BLOCKS }],
      maxTokens: 1,
    },
  },
};

/** Changes of the input requests in {@linkcode INPUT_REQUESTS}. */
export const INPUT_REQUEST_CHANGES: readonly Change[] = [
  ["a", "sampling/createMessage"],
  ["a.method", MISSING],
  ["a.method", "vendor/input"],
  ["a.params", MISSING],
  ["a.params", []],
  ["a.params.messages", ["abc"]],
  ...at("a.params", SAMPLING_CHANGES.filter(([path]) => !path.startsWith("messages["))),
  ["b.params", MISSING],
  ["b.params", []],
  ...at("b.params", PAGE_CHANGES),
  ...at("c.params", FORM_CHANGES),
  ["d.params", []],
  ["d.params._meta", []],
  ...at("e.params", CHOICE_CHANGES),
  ...at("f.params.messages[0].content", BLOCKS_CHANGES),
];

export const INPUT_ROWS: readonly MessageRow[] = [
  {
    from: "server",
    versions: LEGACY,
    message: requestOf("sampling/createMessage", SAMPLING),
    wrong: [["params", MISSING], ...at("params", SAMPLING_CHANGES)],
  },
  {
    from: "client",
    method: "sampling/createMessage",
    versions: LEGACY,
    message: resultOf(SAMPLED),
    wrong: at("result", SAMPLED_CHANGES),
  },
  {
    from: "client",
    method: "sampling/createMessage",
    versions: TASKS,
    message: resultOf({ ...SAMPLED, content: BLOCKS }),
    wrong: at("result.content", BLOCKS_CHANGES),
  },
  {
    from: "server",
    versions: TASKS,
    message: requestOf("sampling/createMessage", {
      messages: [{ role: "user", content: BLOCKS }],
      maxTokens: 1,
    }),
    wrong: at("params.messages[0].content", BLOCKS_CHANGES),
  },
  {
    from: "server",
    versions: LEGACY,
    message: requestOf("roots/list", {}),
    wrong: [["params", []], ["params._meta", []]],
  },
  {
    from: "client",
    method: "roots/list",
    versions: LEGACY,
    message: resultOf(ROOTS),
    wrong: at("result", ROOTS_CHANGES),
  },
  {
    from: "server",
    versions: ["2025-06-18", "2025-11-25"],
    message: requestOf("elicitation/create", FORM),
    wrong: [["params", MISSING], ...at("params", FORM_CHANGES)],
  },
  {
    from: "server",
    versions: TASKS,
    message: requestOf("elicitation/create", CHOICES),
    wrong: at("params", CHOICE_CHANGES),
  },
  {
    from: "server",
    versions: TASKS,
    message: requestOf("elicitation/create", PAGE),
    wrong: at("params", PAGE_CHANGES),
  },
  {
    from: "client",
    method: "elicitation/create",
    versions: ["2025-06-18", "2025-11-25"],
    message: resultOf(ANSWER),
    wrong: at("result", ANSWER_CHANGES),
  },
  {
    from: "server",
    versions: TASKS,
    message: {
      jsonrpc: "2.0",
      method: "notifications/elicitation/complete",
      params: { elicitationId: "1" },
    },
    wrong: [["params", MISSING], ["params.elicitationId", MISSING], ["params.elicitationId", 1]],
  },
];
