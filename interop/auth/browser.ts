/**
 * A user with a browser: a headless Chromium, if one is installed.
 *
 * @module
 */

import { launchChromium } from "../chromium.ts";

/** A browser in which users log in. */
export interface LoginBrowser {
  /** Completes the login and consent forms until the browser arrives at the redirect URI. */
  logIn(url: URL, name: string): Promise<void>;
  /** Closes the browser. */
  close(): Promise<void>;
}

const TIMEOUT_MS = 30_000;

/**
 * Opens the Chromium named by the `CHROMIUM` environment variable or found on PATH. Returns
 * `undefined` if no Chromium is found.
 */
export async function openBrowser(): Promise<LoginBrowser | undefined> {
  const browser = await launchChromium();
  if (browser === undefined) return undefined;
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
