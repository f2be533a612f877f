/**
 * Sections of Markdown pages, to check that a page contains prose and a tested example for each
 * feature.
 *
 * @module
 */

/** A section of a Markdown page: a heading and the text up to the next heading of any level. */
export interface Section {
  /** Anchor of the heading on the site. */
  readonly anchor: string;
  /** Number of words outside of code blocks. */
  readonly words: number;
  /** Number of `ts` code blocks that `deno test --doc` runs. */
  readonly examples: number;
}

const FENCE = /^```(.*)$/;
const HEADING = /^#{2,6} (.+)$/;

/** Returns the anchor that the site assigns to a heading. */
export function anchorOf(heading: string): string {
  return heading.toLowerCase().replace(/[\s~`!@#$%^&*()\-_+=[\]{}|\\;:"'“”‘’<>,.?/]+/g, "-")
    .replace(/^-+|-+$/g, "");
}

/**
 * Returns the sections of a page. The text before the first level-2 heading is not part of a
 * section.
 */
export function readSections(markdown: string): Section[] {
  const sections: { anchor: string; words: number; examples: number }[] = [];
  let isCode = false;
  for (const line of markdown.split("\n")) {
    const section = sections.at(-1);
    const fence = FENCE.exec(line);
    if (fence !== null) {
      isCode = !isCode;
      if (isCode && fence[1] === "ts" && section !== undefined) section.examples++;
      continue;
    }
    if (isCode) continue;
    const [, heading] = HEADING.exec(line) ?? [];
    if (heading !== undefined) {
      sections.push({ anchor: anchorOf(heading), words: 0, examples: 0 });
    } else if (section !== undefined) {
      section.words += line.split(/\s+/).filter((word) => word !== "").length;
    }
  }
  return sections;
}
