/**
 * Schemas of how clients and servers describe themselves.
 *
 * @module
 */

import { display } from "./content.ts";
import { BOOLEAN, map, OBJECT, object, type Schema, STRING, URI } from "./parts.ts";
import { type MessageVersion, only, since } from "./versions.ts";

/** The name and the version of a program. */
export function implementation(version: MessageVersion): Schema {
  return object({ name: STRING, version: STRING }, {
    ...display(version),
    ...since(version, "2025-11-25", { description: STRING, websiteUrl: URI }),
  });
}

/** The capabilities of a client. */
export function clientCapabilities(version: MessageVersion): Schema {
  const isDetailed = version >= "2025-11-25";
  const elicitation = isDetailed ? object({}, { form: OBJECT, url: OBJECT }) : OBJECT;
  const requests = object({}, {
    sampling: object({}, { createMessage: OBJECT }),
    elicitation: object({}, { create: OBJECT }),
  });
  return object({}, {
    experimental: map(OBJECT),
    roots: version >= "2026-07-28" ? OBJECT : LIST_CHANGED,
    sampling: isDetailed ? object({}, { context: OBJECT, tools: OBJECT }) : OBJECT,
    ...since(version, "2025-06-18", { elicitation }),
    ...only(version, "2025-11-25", { tasks: tasks(requests) }),
    ...since(version, "2026-07-28", { extensions: map(OBJECT) }),
  });
}

/** The capabilities of a server. */
export function serverCapabilities(version: MessageVersion): Schema {
  const requests = object({}, { tools: object({}, { call: OBJECT }) });
  return object({}, {
    experimental: map(OBJECT),
    logging: OBJECT,
    prompts: LIST_CHANGED,
    resources: object({}, { subscribe: BOOLEAN, listChanged: BOOLEAN }),
    tools: LIST_CHANGED,
    ...since(version, "2025-03-26", { completions: OBJECT }),
    ...only(version, "2025-11-25", { tasks: tasks(requests) }),
    ...since(version, "2026-07-28", { extensions: map(OBJECT) }),
  });
}

const LIST_CHANGED: Schema = object({}, { listChanged: BOOLEAN });

function tasks(requests: Schema): Schema {
  return object({}, { list: OBJECT, cancel: OBJECT, requests });
}
