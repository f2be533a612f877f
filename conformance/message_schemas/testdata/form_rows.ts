/**
 * Requests for the input of a user, and their results.
 *
 * @module
 */

import { at, type Change, MISSING, type Part } from "./message_row.ts";

export const FORM: Part = {
  message: "Who are you?",
  requestedSchema: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {
      name: {
        type: "string",
        title: "Name",
        description: "Your name",
        minLength: 1,
        maxLength: 9,
        format: "email",
        default: "a@b",
      },
      color: { type: "string", enum: ["r"], enumNames: ["Red"] },
      size: { type: "string", oneOf: [{ const: "s", title: "Small" }] },
      age: { type: "integer", minimum: 0, maximum: 150, default: 18 },
      height: { type: "number", title: "Height", description: "In m", minimum: 0.5, default: 1.7 },
      isNew: { type: "boolean", title: "New", description: "A member", default: true },
    },
    required: ["name"],
  },
  task: { ttl: 1 },
};

export const FORM_CHANGES: readonly Change[] = [
  ["message", MISSING],
  ["message", 1],
  ["requestedSchema", MISSING],
  ["requestedSchema", "name"],
  ["task", true, "2025-11-25", "2025-11-25"],
  ["task.ttl", 0.5, "2025-11-25", "2025-11-25"],
  ["mode", "page", "2025-11-25"],
  ...at("requestedSchema", [
    ["$schema", 1, "2025-11-25"],
    ["type", MISSING],
    ["type", "array"],
    ["properties", MISSING],
    ["properties", []],
    ["required", "name"],
    ["required[0]", 1],
    ...at("properties", [
      ["name", "string"],
      ["name.type", MISSING],
      ["name.type", "text"],
      ["name.type", "object"],
      ["name.title", 1],
      ["name.description", 1],
      ["name.minLength", "1"],
      ["name.maxLength", 1.5],
      ["name.format", "phone"],
      ["name.default", 1, "2025-11-25"],
      [
        "name",
        { type: "array", items: { type: "string", enum: ["a"] } },
        "2025-06-18",
        "2025-06-18",
      ],
      ["name", { type: "array" }],
      ["color.enum", "r"],
      ["color.enum[0]", 1],
      ["color.enumNames", "Red"],
      ["color.enumNames[0]", 1],
      ["size.oneOf", "s", "2025-11-25"],
      ["size.oneOf[0]", "s", "2025-11-25"],
      ["size.oneOf[0].const", MISSING, "2025-11-25"],
      ["size.oneOf[0].const", 1, "2025-11-25"],
      ["size.oneOf[0].title", MISSING, "2025-11-25"],
      ["size.oneOf[0].title", 1, "2025-11-25"],
      ["age.minimum", "0"],
      ["age.maximum", "150"],
      ["age.default", "18", "2025-11-25"],
      ["height.title", 1],
      ["height.description", 1],
      ["height.minimum", "0"],
      ["height.maximum", "2"],
      ["height.default", "1.7", "2025-11-25"],
      ["isNew.title", 1],
      ["isNew.description", 1],
      ["isNew.default", "yes"],
    ]),
  ]),
];

export const CHOICES: Part = {
  message: "Which?",
  mode: "form",
  requestedSchema: {
    type: "object",
    properties: {
      plain: {
        type: "array",
        items: { type: "string", enum: ["a"] },
        minItems: 0,
        maxItems: 1,
        default: ["a"],
      },
      titled: { type: "array", items: { anyOf: [{ const: "a", title: "A" }] } },
    },
  },
};

export const CHOICE_CHANGES: readonly Change[] = at("requestedSchema.properties", [
  ["plain.items", MISSING],
  ["plain.items", "a"],
  ["plain.items.type", MISSING],
  ["plain.items.type", "number"],
  ["plain.items.enum", MISSING],
  ["plain.items.enum", "a"],
  ["plain.items.enum[0]", 1],
  ["plain.minItems", "0"],
  ["plain.maxItems", 0.5],
  ["plain.default", "a"],
  ["plain.default[0]", 1],
  ["titled.items.anyOf", MISSING],
  ["titled.items.anyOf", "a"],
  ["titled.items.anyOf[0]", "a"],
  ["titled.items.anyOf[0].const", MISSING],
  ["titled.items.anyOf[0].const", 1],
  ["titled.items.anyOf[0].title", MISSING],
  ["titled.items.anyOf[0].title", 1],
]);

export const PAGE: Part = {
  mode: "url",
  message: "Log in",
  elicitationId: "1",
  url: "https://a.test/",
};

export const PAGE_CHANGES: readonly Change[] = [
  ["message", MISSING],
  ["message", 1],
  ["url", MISSING],
  ["url", 1],
  ["url", "a.test"],
  ["elicitationId", MISSING, "2025-11-25", "2025-11-25"],
  ["elicitationId", 1, "2025-11-25", "2025-11-25"],
  ["mode", "page"],
];

export const ANSWER: Part = { action: "accept", content: { a: "x", b: 1.5, c: true } };

export const ANSWER_CHANGES: readonly Change[] = [
  ["action", MISSING],
  ["action", "yes"],
  ["content", []],
  ["content.a", null],
  ["content.a", {}],
  ["content.a", ["x"], "2025-06-18", "2025-06-18"],
  ["content.a", [1]],
];
