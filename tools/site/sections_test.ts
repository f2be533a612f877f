import { assertEquals } from "@std/assert";
import { ROOT } from "../members.ts";
import { anchorOf, readSections } from "./sections.ts";
import tier1 from "../../docs/mcp/tier1.json" with { type: "json" };

/**
 * Number of features in the list that the audit of MCP SDKs uses, without experimental features.
 */
const FEATURES = 48;

/** Minimum number of words that describe a feature. */
const MIN_WORDS = 15;

Deno.test("readSections() counts words outside of code, and ts blocks that are not ignored", () => {
  const page = [
    "# Page",
    "Introduction.",
    "## First section",
    "Two words.",
    "```ts",
    "const x = 1;",
    "## not a heading",
    "```",
    "## Second",
    "```ts ignore",
    "```",
  ].join("\n");
  assertEquals(readSections(page), [
    { anchor: "first-section", words: 2, examples: 1 },
    { anchor: "second", words: 0, examples: 0 },
  ]);
});

Deno.test("anchorOf() replaces punctuation with single hyphens", () => {
  assertEquals(anchorOf("HTTP+SSE of 2024-11-05: client"), "http-sse-of-2024-11-05-client");
});

Deno.test("docs/mcp/tier1.json lists 48 features, each with a different section", () => {
  const { rows } = tier1;
  assertEquals(
    rows.map(({ row }) => row),
    Array.from({ length: FEATURES }, (_, index) => index + 1),
  );
  assertEquals(new Set(rows.map(({ page, anchor }) => `${page}#${anchor}`)).size, FEATURES);
});

Deno.test("each feature in docs/mcp/tier1.json has prose and an example that runs", async () => {
  const pages = new Map<string, ReturnType<typeof readSections>>();
  for (const page of new Set(tier1.rows.map(({ page }) => page))) {
    const text = await Deno.readTextFile(new URL(`docs/mcp/features/${page}.md`, ROOT));
    pages.set(page, readSections(text));
  }
  const faults = tier1.rows.flatMap(({ row, page, anchor }) => {
    const section = pages.get(page)?.find((each) => each.anchor === anchor);
    if (section === undefined) return [`row ${row}: ${page}.md has no section "${anchor}"`];
    if (section.examples === 0) return [`row ${row}: "${anchor}" has no example`];
    return section.words < MIN_WORDS ? [`row ${row}: "${anchor}" has too little prose`] : [];
  });
  assertEquals(faults, []);
});
