/**
 * A user with a browser: a headless Chromium, if one is installed.
 *
 * @module
 */

import { chromium } from "playwright-core";

/** A browser in which users log in. */
export interface LoginBrowser {
  /** Completes the login and consent forms until the browser arrives at the redirect URI. */
  logIn(url: URL, name: string): Promise<void>;
  /** Closes the browser. */
  close(): Promise<void>;
}

const NAMES = ["chromium", "chromium-browser", "google-chrome"];
const TIMEOUT_MS = 30_000;

/**
 * Opens the Chromium named by the `CHROMIUM` environment variable or found on PATH. Returns `undefined` if none is
 * found.
 */
export async function openBrowser(): Promise<LoginBrowser | undefined> {
  const executablePath = Deno.env.get("CHROMIUM") ?? await find();
  if (executablePath === undefined) return undefined;
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  return {
    logIn: async (url, name) => {
      const page = await browser.newPage();
      page.setDefaultTimeout(TIMEOUT_MS);
      await page.goto(url.href);
      await page.fill('input[name="login"]', name);
      await page.fill('input[name="password"]', "any");
      await page.click('button[type="submit"]');
      await page.waitForSelector('input[name="prompt"][value="consent"]', { state: "attached" });
      await page.click('button[type="submit"]');
      await page.waitForURL((address) => address.searchParams.has("code"));
      await page.close();
    },
    close: () => browser.close(),
  };
}

async function find(): Promise<string | undefined> {
  for (const name of NAMES) {
    const command = new Deno.Command("sh", { args: ["-c", `command -v ${name}`], stderr: "null" });
    const { success, stdout } = await command.output();
    if (success) return new TextDecoder().decode(stdout).trim();
  }
  return undefined;
}
