/**
 * Menus of the documentation site. Every page of `docs/` that is part of the site is in a menu.
 *
 * @module
 */

/** A page in a menu, or a group of pages. */
export interface MenuItem {
  /** Title in the menu. */
  readonly text: string;
  /** Path on the site, such as `/start/install`, or absent for a group. */
  readonly link?: string;
  /** Pages of a menu group. */
  readonly items?: readonly MenuItem[];
}

/**
 * Files in `docs/` that are not part of the site: pages for contributors, and pages that refer to
 * source files.
 */
export const NOT_ON_SITE: readonly string[] = [
  "architecture.md",
  "decisions/**",
  "language.md",
  "releasing.md",
  "style.md",
  "third-party-findings/**",
  "node_modules/**",
  "parts/**",
];

/** Menu for all pages except the API reference. */
export const GUIDE_MENU: readonly MenuItem[] = [
  {
    text: "Start",
    items: [
      { text: "Install", link: "/start/install" },
      { text: "First agent", link: "/start/agent" },
      { text: "First MCP server", link: "/start/server" },
      { text: "First MCP client", link: "/start/client" },
      { text: "First signed message", link: "/start/messages" },
      { text: "Examples", link: "/examples" },
    ],
  },
  {
    text: "Agents",
    items: [
      { text: "Models", link: "/guides/models" },
      { text: "Tools", link: "/guides/tools" },
      { text: "Approvals", link: "/guides/approvals" },
      { text: "Typed output", link: "/guides/typed-output" },
      { text: "Limits and prices", link: "/guides/limits" },
      { text: "Sessions", link: "/guides/sessions" },
      { text: "Build a chat server", link: "/guides/chat-server" },
      { text: "Serve an agent to an editor", link: "/guides/editors" },
      { text: "Durable runs", link: "/guides/durable-runs" },
      { text: "Serve an agent to callers", link: "/guides/served-agents" },
      { text: "Serve an agent over A2A", link: "/guides/a2a" },
      { text: "OpenAI-compatible endpoint", link: "/guides/openai-endpoint" },
      { text: "Run on many machines", link: "/run-on-many-machines" },
      { text: "Observability", link: "/guides/observability" },
      { text: "Security", link: "/guides/security" },
      { text: "Security policy", link: "/security-policy" },
      { text: "Test an agent", link: "/guides/testing" },
      { text: "@parley/runtime", link: "/packages/runtime" },
    ],
  },
  {
    text: "Model Context Protocol",
    items: [
      { text: "Tools", link: "/mcp/features/tools" },
      { text: "Resources", link: "/mcp/features/resources" },
      { text: "Prompts", link: "/mcp/features/prompts" },
      { text: "Client features", link: "/mcp/features/client-features" },
      { text: "Log in with OAuth", link: "/guides/client-authorization" },
      { text: "Transports", link: "/mcp/features/transports" },
      { text: "Protocol", link: "/mcp/features/protocol" },
      { text: "Authorization in production", link: "/guides/authorization" },
      { text: "Tools from OpenAPI", link: "/guides/openapi" },
      { text: "Debug a server", link: "/guides/debug-a-server" },
      { text: "Behind a load balancer", link: "/mcp-behind-a-load-balancer" },
      { text: "@parley/mcp", link: "/packages/mcp" },
    ],
  },
  {
    text: "Signed messages",
    items: [
      { text: "Messages on a queue", link: "/messages-on-a-queue" },
      { text: "@parley/comm", link: "/packages/comm" },
    ],
  },
  {
    text: "Recipes",
    items: [
      { text: "Web frameworks", link: "/recipes/web-frameworks" },
      { text: "Workers and AWS Lambda", link: "/recipes/serverless" },
      { text: "Browser extensions", link: "/recipes/browser-extensions" },
    ],
  },
  {
    text: "Migration",
    items: [
      { text: "From the official MCP SDK", link: "/migration-from-mcp-sdk" },
      { text: "From FastMCP and mcp-use", link: "/migration-from-fastmcp" },
      { text: "From the AI SDK", link: "/migration-from-ai-sdk" },
      { text: "From the OpenAI Agents SDK", link: "/migration-from-openai-agents" },
    ],
  },
  {
    text: "Conformance kit",
    items: [
      { text: "Test an implementation", link: "/kit/" },
      { text: "Driver protocol and formats", link: "/kit/protocol" },
      { text: "Dispute a case", link: "/kit/appeals" },
      { text: "Requirements for messages", link: "/kit/spec-comm" },
      { text: "Requirements for agent runtimes", link: "/kit/spec-runtime" },
      { text: "Requirements for MCP", link: "/kit/spec-mcp" },
      { text: "Requirements for model adapters", link: "/kit/spec-model" },
      { text: "Contracts of agent loops", link: "/kit/spec-core" },
      { text: "@parley/conformance", link: "/packages/conformance" },
    ],
  },
  {
    text: "Comparisons",
    items: [
      { text: "Other libraries", link: "/comparison" },
      { text: "How fast is it?", link: "/benchmarks" },
    ],
  },
];

/** Returns the menu of the API reference: one entry for each entry point of the packages. */
export function createApiMenu(
  members: readonly {
    readonly folder: string;
    readonly name: string;
    readonly exports: Iterable<readonly [string, string]>;
  }[],
): MenuItem[] {
  return members.map(({ folder, name, exports }) => ({
    text: name,
    items: [...exports].map(([subpath, file]) => ({
      text: `${name}${subpath.slice(1)}`,
      link: `/api/${folder}/${file.replace(/\.ts$/, "")}/`,
    })),
  }));
}

/** Returns the paths of all pages in a menu. */
export function listLinks(menu: readonly MenuItem[]): string[] {
  return menu.flatMap(({ link, items = [] }) => [
    ...(link === undefined ? [] : [link]),
    ...listLinks(items),
  ]);
}
