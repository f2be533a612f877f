/**
 * HTML whose interpolated values are escaped.
 *
 * @module
 */

/**
 * A value in a template: text, which is escaped, or markup, which is not. `undefined` is written as
 * an empty string.
 */
export type Content = string | number | undefined | Markup | readonly Content[];

/**
 * Markup whose text values are escaped. Created only by {@linkcode html} and
 * {@linkcode trustedMarkup}.
 */
export class Markup {
  /** The HTML text.  */
  readonly text: string;

  /** Creates markup from text that is already escaped. */
  constructor(text: string) {
    this.text = text;
  }
}

/**
 * Template tag for markup. Strings in the placeholders are escaped, so they are safe in text and in
 * quoted attributes.
 */
export function html(parts: TemplateStringsArray, ...values: readonly Content[]): Markup {
  return new Markup(
    parts.map((part, index) => index === 0 ? part : write(values[index - 1]) + part).join(""),
  );
}

/** Creates markup from one of this kit's constants, such as a style sheet. */
export function trustedMarkup(text: string): Markup {
  return new Markup(text);
}

function write(value: Content): string {
  if (value === undefined) return "";
  if (value instanceof Markup) return value.text;
  if (typeof value === "object") return value.map(write).join("");
  return escape(String(value));
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}
