/**
 * The skills and the app of the everything server.
 *
 * @module
 */

import type { McpServer } from "@parley/mcp/server";
import { registerApp } from "@parley/mcp/apps";
import { memorySkills, type ServerSkills, serverSkills } from "@parley/mcp/skills";

const FILES = {
  "kit-guide/SKILL.md": `---
name: kit-guide
description: Shows how a skill is served
license: MIT
metadata:
  version: "1.0"
x-order: [1, 2]
---

Read references/limits.md.
`,
  "kit-guide/references/limits.md": "At most 100 euros.\n",
  "kit-guide/references/deep/logo.bin": new Uint8Array([0xff, 0x00, 0xfe]),
  "kit-guide/kit-inner/SKILL.md": `---
name: kit-inner
description: A skill in the folder of another skill
---
`,
  "kit-wrong-folder/SKILL.md": `---
name: kit-other-name
description: A skill whose folder has another name
---
`,
};

/** Loads the skills, including an invalid skill. */
export function loadSkills(): Promise<ServerSkills> {
  return serverSkills({ files: memorySkills(FILES), onError: () => {} });
}

/** Adds a tool with a page, and a tool that only the page may call. */
export function addApps(server: McpServer): void {
  const uri = "ui://parley-kit/page";
  registerApp(server, { name: "test_app", description: "Displays a page" }, {
    uri,
    html: "<!doctype html><title>Kit</title>",
    csp: { connectDomains: ["https://api.example.com"] },
    prefersBorder: true,
  }, () => "displayed");
  server.registerTool({
    name: "test_app_only",
    description: "Called by the page",
    _meta: { ui: { resourceUri: uri, visibility: ["app"] } },
  }, () => "called");
}
