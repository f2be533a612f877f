/**
 * Runs comm in headless Chromium: signing, verifying, both Ed25519 backends at every edge, a WebSocket.
 *
 *     deno run -A tools/check_browser.ts
 *
 * Takes the Chromium that the environment variable `CHROME` names, or one on PATH; without any it says so and passes.
 *
 * @module
 */

const PAGE = "comm/testdata/browser_page.ts";
const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const TIMEOUT_MS = 60_000;

async function findBrowser(): Promise<string | undefined> {
  const named = Deno.env.get("CHROME");
  for (const name of named === undefined ? NAMES : [named]) {
    if (await runs(name)) return name;
  }
  return undefined;
}

async function runs(name: string): Promise<boolean> {
  try {
    const command = new Deno.Command(name, { args: ["--version"], stdout: "null", stderr: "null" });
    return (await command.output()).success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

async function bundle(): Promise<string> {
  const output = await Deno.makeTempFile({ suffix: ".js" });
  try {
    const args = ["bundle", "--quiet", "--platform", "browser", "--output", output, PAGE];
    const { success } = await new Deno.Command("deno", { args }).output();
    if (!success) throw new Error(`Cannot bundle ${PAGE}`);
    return await Deno.readTextFile(output);
  } finally {
    await Deno.remove(output);
  }
}

/** Serves the page, echoes what its WebSocket brings, and takes its verdict. */
function answer(request: Request, script: string, decide: (verdict: string) => void): Response {
  const { pathname } = new URL(request.url);
  if (pathname === "/echo") {
    const { socket, response } = Deno.upgradeWebSocket(request);
    socket.onmessage = ({ data }) => socket.send(data);
    return response;
  }
  if (pathname === "/done") {
    request.text().then(decide);
    return new Response();
  }
  return pathname === "/page.js"
    ? new Response(script, { headers: { "content-type": "text/javascript" } })
    : new Response('<!doctype html><script type="module" src="/page.js"></script>', {
      headers: { "content-type": "text/html; charset=utf-8" },
    });
}

async function check(browser: string): Promise<string> {
  const script = await bundle();
  const { promise, resolve } = Promise.withResolvers<string>();
  const options = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  const server = Deno.serve(options, (request) => answer(request, script, resolve));
  const profile = await Deno.makeTempDir();
  const child = new Deno.Command(browser, {
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      `--user-data-dir=${profile}`,
      `http://127.0.0.1:${server.addr.port}/`,
    ],
    stdout: "null",
    stderr: "null",
  }).spawn();
  const timer = setTimeout(() => resolve("failed: no answer in time"), TIMEOUT_MS);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    child.kill("SIGKILL");
    await child.status;
    await server.shutdown();
    await Deno.remove(profile, { recursive: true }).catch(() => {});
  }
}

async function main(): Promise<number> {
  const browser = await findBrowser();
  if (browser === undefined) {
    console.log("browser: not checked, there is no Chromium (name one in CHROME)");
    return 0;
  }
  const verdict = await check(browser);
  console.log(`browser: ${verdict}`);
  return verdict.startsWith("passed") ? 0 : 1;
}

if (import.meta.main) Deno.exit(await main());
