import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { defineConfig, type MarkdownOptions } from "vitepress";
import { isOutside, type LinkContext, resolveLink } from "../../tools/site/links.ts";
import { createApiMenu, GUIDE_MENU, NOT_ON_SITE } from "../../tools/site/navigation.ts";

const DOCS = dirname(dirname(fileURLToPath(import.meta.url)));
const ROOT = dirname(DOCS);
const MEMBERS = ["comm", "runtime", "mcp", "conformance"];

/** URL path of the site, such as `/parley/` on GitHub Pages. */
const BASE = process.env.SITE_BASE ?? "/";

const members = MEMBERS.map((folder) => {
  const { name, exports } = JSON.parse(readFileSync(join(ROOT, folder, "deno.json"), "utf8"));
  const files = Object.entries<string>(exports)
    .map(([subpath, file]): [string, string] => [subpath, file.slice(2)]);
  return { folder, name: String(name), exports: files };
});

/** Paths of the API pages, keyed by symbol name. */
const symbols = new Map<string, string[]>();
for (const path of globSync("api/**/*.md", { cwd: DOCS })) {
  const name = path.slice(path.lastIndexOf("/") + 1, -3);
  symbols.set(name, [...symbols.get(name) ?? [], `/${path.slice(0, -3)}`]);
}

const pages = new Map(
  globSync("**/*.md", { cwd: DOCS, exclude: [...NOT_ON_SITE, "api/**"] })
    .map((path): [string, string] => [
      `docs/${path}`,
      `/${path.replace(/(?:(?<=^|\/)index)?\.md$/, "")}`,
    ]),
);
pages.set("examples/README.md", "/examples");
pages.set("conformance/PROTOCOL.md", "/kit/protocol");
pages.set("lab/IMPLEMENTATIONS.md", "/implementations.html");
for (const folder of MEMBERS) pages.set(`${folder}/README.md`, `/packages/${folder}`);

const context: LinkContext = {
  pages,
  repositoryUrl: process.env.SITE_REPOSITORY,
  exists: (path) => existsSync(join(ROOT, path)),
  findSymbol: (text, file) =>
    symbols.get(text.replace(/`|\(\)/g, ""))?.find((path) =>
      path.startsWith(`/api/${file.split("/", 1)[0]}/`)
    ),
};

const configureMarkdown: NonNullable<MarkdownOptions["config"]> = (md) => {
  // Escape `{{`, because Vue would evaluate `{{ ... }}` in text and inline code.
  for (const rule of ["text", "code_inline"]) {
    const render = md.renderer.rules[rule];
    md.renderer.rules[rule] = (...parameters) =>
      render?.(...parameters).replaceAll("{{", "&#123;&#123;") ?? "";
  }
  md.core.ruler.push("site_links", ({ tokens, env }) => {
    const page = String(env.relativePath ?? "");
    if (page.startsWith("api/")) return;
    const source = String(env.frontmatter?.source ?? `docs/${page}`);
    for (const { children } of tokens) {
      for (const [index, open] of children?.entries() ?? []) {
        const href = open.type === "link_open" ? open.attrGet("href") : null;
        if (href === null || isOutside(href)) continue;
        const close = children?.findIndex(({ type }, at) => at > index && type === "link_close") ??
          -1;
        const text = children?.slice(index + 1, close).map(({ content }) => content).join("") ?? "";
        const link = resolveLink(href, source, text, context);
        if (link.kind === "dead") throw new Error(`Dead link in ${source}: ${href}`);
        if (link.kind === "link") {
          const isSelfContained = link.href.endsWith(".html");
          open.attrSet("href", isSelfContained ? `${BASE}${link.href.slice(1)}` : link.href);
          // VitePress removes the `.html` extension from links that have no `target` attribute.
          if (isSelfContained) open.attrSet("target", "_self");
          continue;
        }
        for (const token of [open, children?.[close]]) {
          if (token !== undefined) {
            Object.assign(token, { type: "text", tag: "", nesting: 0, content: "" });
          }
        }
      }
    }
  });
};

/** Self-contained pages that other tools generate. */
const publicPages = [
  { text: "Viewer", link: "/viewer/", target: "_self" },
  { text: "Implementations", link: "/implementations.html", target: "_self" },
];

/** Picture on the home page. */
const picture = {
  src: "/demo.svg",
  alt: "The demo: two agents exchange signed messages to answer a question",
};

export default defineConfig({
  title: "Parley",
  description: "Signed messages, agents and the Model Context Protocol in TypeScript",
  base: BASE,
  lang: "en-US",
  head: [["link", { rel: "icon", type: "image/svg+xml", href: `${BASE}favicon.svg` }]],
  cleanUrls: true,
  srcExclude: [...NOT_ON_SITE],
  ignoreDeadLinks: false,
  // The date of the last change requires the Git history, which a source archive does not contain.
  lastUpdated: false,
  metaChunk: true,
  transformPageData: ({ relativePath, frontmatter }) => {
    if (relativePath !== "index.md" || !existsSync(join(DOCS, "public", picture.src))) return;
    return { frontmatter: { ...frontmatter, hero: { ...frontmatter.hero, image: picture } } };
  },
  markdown: {
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    config: configureMarkdown,
    headers: { level: [2, 3] },
  },
  themeConfig: {
    nav: [
      { text: "Start", link: "/start/install" },
      { text: "MCP features", link: "/mcp/features/tools" },
      { text: "Comparison", link: "/comparison" },
      { text: "API", link: "/api/" },
      ...publicPages,
    ],
    sidebar: {
      "/": GUIDE_MENU.map((group) => ({ ...group, items: [...group.items ?? []] })),
      "/api/": createApiMenu(members).map((group) => ({ ...group, items: [...group.items ?? []] })),
    },
    outline: { level: [2, 3] },
    search: {
      provider: "local",
      options: {
        // Only the titles and summaries of API pages are indexed. The full text of API pages would make the search
        // index ten times as large.
        _render: (source, env, md) => {
          const html = md.render(source, env);
          if (!env.relativePath.startsWith("api/")) return html;
          // The search index omits a heading that has no text below it.
          const end = html.indexOf("</p>");
          return end === -1 ? `${html}<p>API</p>` : html.slice(0, end + "</p>".length);
        },
      },
    },
  },
});
