import { assertEquals } from "@std/assert";
import { isOutside, type LinkContext, resolveLink } from "./links.ts";

const FILES = [
  "mcp/README.md",
  "docs/releasing.md",
  "mcp/server/tools.ts",
  "docs/start/install.md",
];
const CONTEXT: LinkContext = {
  pages: new Map([["mcp/README.md", "/packages/mcp"], ["docs/start/install.md", "/start/install"]]),
  exists: (path) => FILES.includes(path),
  findSymbol: (name) =>
    name === "ToolHandler" ? "/api/mcp/mod/type-aliases/ToolHandler" : undefined,
};

for (
  const [title, href, source, text, expected] of [
    [
      "a link to a page becomes the path of the page",
      "../../mcp/README.md#tasks",
      "docs/start/install.md",
      "Tasks",
      { kind: "link", href: "/packages/mcp#tasks" },
    ],
    [
      "a link to the file of a public symbol leads to the API reference",
      "./server/tools.ts",
      "mcp/README.md",
      "ToolHandler",
      { kind: "link", href: "/api/mcp/mod/type-aliases/ToolHandler" },
    ],
    [
      "a link to a file that is not on the site becomes text",
      "../docs/releasing.md",
      "mcp/README.md",
      "Releasing",
      { kind: "text" },
    ],
    [
      "a link to a file that does not exist is dead",
      "../docs/missing.md",
      "mcp/README.md",
      "Missing",
      { kind: "dead", file: "docs/missing.md" },
    ],
  ] as const
) {
  Deno.test(`resolveLink(): ${title}`, () => {
    assertEquals(resolveLink(href, source, text, CONTEXT), expected);
  });
}

Deno.test("resolveLink() links to the repository if its URL is known", () => {
  const repositoryUrl = "https://example.com/parley/blob/main";
  assertEquals(
    resolveLink("../docs/releasing.md#a", "mcp/README.md", "", { ...CONTEXT, repositoryUrl }),
    { kind: "link", href: "https://example.com/parley/blob/main/docs/releasing.md#a" },
  );
});

Deno.test("isOutside() returns true for URLs, headings and absolute paths only", () => {
  const hrefs = ["https://example.com", "mailto:a@example.com", "#limits", "/api/", "./a.md", "a"];
  assertEquals(hrefs.filter(isOutside), hrefs.slice(0, 4));
});
