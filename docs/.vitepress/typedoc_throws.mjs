/**
 * A TypeDoc plugin that shows the class of an exception. TypeDoc reads the class in
 * `@throws {RangeError} If ...` but does not print it.
 */

import { Converter } from "typedoc";

/** Called by TypeDoc. */
export function load(application) {
  application.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const { comment } of Object.values(project.reflections)) {
      for (const { tag, typeAnnotation, content } of comment?.blockTags ?? []) {
        if (tag !== "@throws" || typeAnnotation === undefined) continue;
        content.unshift({ kind: "code", text: `\`${typeAnnotation.slice(1, -1)}\`` }, {
          kind: "text",
          text: " ",
        });
      }
    }
  });
}
