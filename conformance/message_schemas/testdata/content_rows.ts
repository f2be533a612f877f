/**
 * Resources and content, and the changes that make them invalid.
 *
 * @module
 */

import { at, type Change, ICONS, MISSING, type Part, PROGRAM } from "./message_row.ts";

const { icons } = PROGRAM;

const ANNOTATIONS = { audience: ["user", "assistant"], priority: 0.5, lastModified: "2025-01-12" };

const ANNOTATION_CHANGES: readonly Change[] = at("annotations", [
  ["audience", "user"],
  ["audience[0]", "robot"],
  ["priority", "high"],
  ["priority", -0.1],
  ["priority", 1.1],
  ["lastModified", 1, "2025-06-18"],
]).concat([["annotations", []]]);

export const RESOURCE: Part = {
  uri: "file:///a.txt",
  name: "a",
  title: "A",
  description: "A file",
  mimeType: "text/plain",
  size: 3,
  annotations: ANNOTATIONS,
  icons,
  _meta: {},
};

export const RESOURCE_CHANGES: readonly Change[] = [
  ["uri", MISSING],
  ["uri", 1],
  ["uri", "a.txt"],
  ["name", MISSING],
  ["name", 1],
  ["title", 1, "2025-06-18"],
  ["description", 1],
  ["mimeType", 1],
  ["size", "3"],
  ["size", 1.5],
  ["_meta", [], "2025-06-18"],
  ...ANNOTATION_CHANGES,
  ...ICONS,
];

export const CONTENTS: Part = {
  uri: "file:///a.txt",
  mimeType: "text/plain",
  text: "abc",
  _meta: {},
};

export const CONTENTS_CHANGES: readonly Change[] = [
  ["uri", MISSING],
  ["uri", "a.txt"],
  ["uri", 1],
  ["mimeType", 1],
  ["text", MISSING],
  ["text", 1],
  ["_meta", [], "2025-06-18"],
];

/** A block of each type of content that exists in all versions. */
export const TEXT: Part = { type: "text", text: "abc", annotations: ANNOTATIONS, _meta: {} };
export const IMAGE: Part = {
  type: "image",
  data: "AAEC",
  mimeType: "image/png",
  annotations: ANNOTATIONS,
  _meta: {},
};
const EMBEDDED = { type: "resource", resource: CONTENTS, annotations: ANNOTATIONS, _meta: {} };
export const AUDIO: Part = { ...IMAGE, type: "audio", mimeType: "audio/wav" };
const LINK = { type: "resource_link", ...RESOURCE };

const COMMON_CHANGES: readonly Change[] = [
  ["type", MISSING],
  ["type", 1],
  ["type", "video"],
  ["_meta", [], "2025-06-18"],
  ...ANNOTATION_CHANGES,
];

export const TEXT_CHANGES: readonly Change[] = [
  ...COMMON_CHANGES,
  ["text", MISSING],
  ["text", 1],
];

export const IMAGE_CHANGES: readonly Change[] = [
  ...COMMON_CHANGES,
  ["data", MISSING],
  ["data", 1],
  ["mimeType", MISSING],
  ["mimeType", 1],
];

export const EMBEDDED_CHANGES: readonly Change[] = [
  ...COMMON_CHANGES,
  ["resource", MISSING],
  ["resource", "abc"],
  ...at("resource", CONTENTS_CHANGES),
];

export const LINK_CHANGES: readonly Change[] = [...RESOURCE_CHANGES, ["type", MISSING], [
  "type",
  "link",
]];

/** The changes of a list of content whose first block is a text. */
export function contentChanges(first: string): readonly Change[] {
  return [
    ...at(first, TEXT_CHANGES),
    [first, "abc"],
    [first, AUDIO, "2024-11-05", "2024-11-05"],
    [first, LINK, "2024-11-05", "2025-03-26"],
    [first, { type: "tool_use", id: "1", name: "a", input: {} }],
  ];
}

/** A list with a block of each type. */
export const CONTENT: readonly Part[] = [TEXT, IMAGE, EMBEDDED];
export const NEW_CONTENT: readonly Part[] = [TEXT, IMAGE, EMBEDDED, AUDIO, LINK];

/** The changes of {@linkcode CONTENT}. */
export function allContentChanges(list: string): readonly Change[] {
  return [
    ...contentChanges(`${list}[0]`),
    ...at(`${list}[1]`, IMAGE_CHANGES),
    ...at(`${list}[2]`, EMBEDDED_CHANGES),
  ];
}

/** The changes of {@linkcode NEW_CONTENT}. */
export function newContentChanges(list: string): readonly Change[] {
  return [
    ...allContentChanges(list),
    ...at(`${list}[3]`, IMAGE_CHANGES),
    ...at(`${list}[4]`, LINK_CHANGES),
  ];
}
