/**
 * A headless Chromium, if one is installed.
 *
 * @module
 */

import { type Browser, chromium } from "playwright-core";

const NAMES = ["chromium", "chromium-browser", "google-chrome"];

/**
 * Launches the Chromium named by the `CHROMIUM` environment variable or found on PATH. Returns
 * `undefined` if no Chromium is found.
 */
export async function launchChromium(): Promise<Browser | undefined> {
  const executablePath = Deno.env.get("CHROMIUM") ?? await find();
  if (executablePath === undefined) return undefined;
  return await chromium.launch({ executablePath, args: ["--no-sandbox"] });
}

async function find(): Promise<string | undefined> {
  for (const name of NAMES) {
    const command = new Deno.Command("sh", { args: ["-c", `command -v ${name}`], stderr: "null" });
    const { success, stdout } = await command.output();
    if (success) return new TextDecoder().decode(stdout).trim();
  }
  return undefined;
}
