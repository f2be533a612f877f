/**
 * Schemas of content, resources and their descriptions.
 *
 * @module
 */

import {
  ANY,
  anyOf,
  BOOLEAN,
  FRACTION,
  INTEGER,
  list,
  type Members,
  OBJECT,
  object,
  oneOf,
  type Schema,
  STRING,
  tagged,
  URI,
} from "./parts.ts";
import { type MessageVersion, since } from "./versions.ts";

/** The author of a message. */
export const ROLE: Schema = oneOf("user", "assistant");

/** The free metadata of an item. */
export function metadata(version: MessageVersion): Members {
  return since(version, "2025-06-18", { _meta: OBJECT });
}

/** The optional members of everything that has a name. */
export function naming(version: MessageVersion): Members {
  return since(version, "2025-06-18", { title: STRING });
}

/** The optional members of everything that has a name and icons. */
export function display(version: MessageVersion): Members {
  const icon = object({ src: URI }, {
    mimeType: STRING,
    sizes: list(STRING),
    theme: oneOf("light", "dark"),
  });
  return { ...naming(version), ...since(version, "2025-11-25", { icons: list(icon) }) };
}

function annotated(version: MessageVersion): Members {
  const annotations = object({}, {
    audience: list(ROLE),
    priority: FRACTION,
    ...since(version, "2025-06-18", { lastModified: STRING }),
  });
  return { annotations };
}

/** A resource in a list. */
export function resource(version: MessageVersion): Schema {
  return object({ uri: URI, name: STRING }, {
    ...display(version),
    ...annotated(version),
    ...metadata(version),
    description: STRING,
    mimeType: STRING,
    size: INTEGER,
  });
}

/** A resource template in a list. */
export function resourceTemplate(version: MessageVersion): Schema {
  return object({ uriTemplate: STRING, name: STRING }, {
    ...display(version),
    ...annotated(version),
    ...metadata(version),
    description: STRING,
    mimeType: STRING,
  });
}

/** The contents of a resource: text or bytes. */
export function resourceContents(version: MessageVersion): Schema {
  return {
    ...object({ uri: URI }, { mimeType: STRING, ...metadata(version) }),
    ...anyOf(object({ text: STRING }), object({ blob: STRING })),
  };
}

/** Content in the result of a tool and in the messages of a prompt. */
export function content(version: MessageVersion): Schema {
  return tagged("type", {
    ...media(version),
    ...since(version, "2025-06-18", { resource_link: resource(version) }),
    resource: object({ resource: resourceContents(version) }, {
      ...annotated(version),
      ...metadata(version),
    }),
  });
}

/** Content in a message to or from the client's model. */
export function samplingContent(version: MessageVersion): Schema {
  const more = metadata(version);
  return tagged("type", {
    ...media(version),
    ...since(version, "2025-11-25", {
      tool_use: object({ id: STRING, name: STRING, input: OBJECT }, more),
      tool_result: object({ toolUseId: STRING, content: list(content(version)) }, {
        ...more,
        ...structured(version),
        isError: BOOLEAN,
      }),
    }),
  });
}

/** The structured output of a tool: any value in the modern versions, earlier an object. */
export function structured(version: MessageVersion): Members {
  const structuredContent = version >= "2026-07-28" ? ANY : OBJECT;
  return since(version, "2025-06-18", { structuredContent });
}

function media(version: MessageVersion): Members {
  const more = { ...annotated(version), ...metadata(version) };
  const bytes = object({ data: STRING, mimeType: STRING }, more);
  return {
    text: object({ text: STRING }, more),
    image: bytes,
    ...since(version, "2025-03-26", { audio: bytes }),
  };
}
