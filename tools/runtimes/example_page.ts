/**
 * Tests the example web page, which is an MCP client, through the page's form.
 *
 * @module
 */

import type { Browser } from "playwright-core";
import { ToolError } from "../cli.ts";
import { ROOT } from "../members.ts";

/** Starts the example, calls its tools through the page's form and stops it. */
export async function useExamplePage(browser: Browser): Promise<void> {
  const server = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "examples/mcp_in_browser/main.ts"],
    cwd: ROOT,
    env: { NO_COLOR: "1", PORT: "0" },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  try {
    const page = await browser.newPage();
    page.on("dialog", (dialog) => dialog.accept("Ann"));
    await page.goto(await findAddress(server.stderr));
    await page.waitForSelector("body[data-ready]");
    for (const [tool, answer] of [["roll", /"sum": \d+/], ["greet", /Hello, Ann/]] as const) {
      await page.selectOption("select", tool);
      await page.click("button");
      await page.locator("#result", { hasText: answer }).waitFor();
    }
    await page.close();
  } finally {
    server.kill();
    await server.status;
  }
}

/** Returns the URL that a server prints when it starts. */
async function findAddress(stderr: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of stderr) {
    text += decoder.decode(bytes, { stream: true });
    const address = /http:\/\/127\.0\.0\.1:\d+\//.exec(text);
    if (address !== null) return address[0];
  }
  throw new ToolError(`Cannot start the example: ${text}`);
}
