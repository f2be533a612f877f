/**
 * Runs the demo with correct and incorrect arguments, and with its file server:
 * `deno task check:demo`. If the demo fails, it must print one line, and no process may keep
 * running after the demo has exited. Requires Linux, whose `/proc` lists the processes.
 *
 * @module
 */

import { checkPicture } from "../../tools/pictures/demo_svg.ts";
import { runTool, ToolError, withTempDir } from "../../tools/cli.ts";
import { ROOT } from "../../tools/members.ts";

type Environment = Readonly<Record<string, string>>;

interface Start {
  readonly args?: readonly string[];
  readonly env?: Environment;
  /** Output text after which Ctrl-C is pressed. */
  readonly interruptAfter?: string;
}

function startDemo(args: readonly string[], env: Environment = {}): Deno.ChildProcess {
  return new Deno.Command("deno", {
    args: ["task", "--quiet", "demo", ...args],
    cwd: ROOT,
    env: { NO_COLOR: "1", PARLEY_MODEL: "", PARLEY_MODEL_URL: "", ...env },
    signal: AbortSignal.timeout(120_000),
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/**
 * Runs the demo in a folder, and returns its output. If `code` is 0, `says` must match the output;
 * otherwise, `says` must match the error line.
 */
async function check(folder: string, start: Start, code: number, says: RegExp): Promise<string> {
  const { args = [], env, interruptAfter } = start;
  const name = `demo ${args.join(" ")} ${Object.values(env ?? {}).join(" ")}`.trim();
  const child = startDemo(["--folder", folder, ...args], env);
  const errors = new Response(child.stderr).text();
  let [output, isInterrupted] = ["", false];
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    output += text;
    if (isInterrupted || !interruptAfter || !output.includes(interruptAfter)) continue;
    isInterrupted = true;
    // A terminal sends the Ctrl-C signal to the task runner, the demo and the file server.
    for (const { pid } of processesOf(folder)) interrupt(pid);
  }
  const [status, error] = await Promise.all([child.status, errors]);
  const isExpected = code === 0
    ? says.test(output) && error === ""
    : says.test(error) && error.trim().split("\n").length === 1;
  if (status.code !== code || !isExpected) {
    throw new ToolError(`${name}: expected ${code} ${says}, got ${status.code}\n${output}${error}`);
  }
  checkNoProcessLeft(name, folder);
  console.log(`${name}: ${error.trim() || "no error"}`);
  return output;
}

/**
 * Checks that the demo succeeds if its output pipe is closed after the first lines, as by
 * `head -1`.
 */
async function checkReaderLeaves(folder: string): Promise<void> {
  const child = startDemo(["--folder", folder, "--json"]);
  const errors = new Response(child.stderr).text();
  const reader = child.stdout.getReader();
  await reader.read();
  await reader.cancel();
  const [{ code }, error] = await Promise.all([child.status, errors]);
  if (code !== 0 || error !== "") throw new ToolError(`demo | head -1: got ${code}\n${error}`);
  checkNoProcessLeft("demo | head -1", folder);
  console.log("demo | head -1: no error");
}

function interrupt(pid: number): void {
  try {
    Deno.kill(pid, "SIGINT");
  } catch (error) {
    // The process may have exited in the meantime.
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

function checkNoProcessLeft(name: string, folder: string): void {
  const left = processesOf(folder).map(({ line }) => `\n${line}`).join("");
  if (left) throw new ToolError(`${name}: processes are still running:${left}`);
}

/**
 * Returns the processes that have the folder itself as an argument, unlike programs that use files
 * in the folder.
 */
function processesOf(folder: string): { pid: number; line: string }[] {
  const argument = folder.replace(/\/$/, "");
  return [...Deno.readDirSync("/proc")].flatMap(({ name }) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const args = Deno.readTextFileSync(`/proc/${name}/cmdline`).split("\0");
      const isOwn = args.some((each) => each.replace(/\/$/, "") === argument);
      return isOwn ? [{ pid: Number(name), line: args.join(" ") }] : [];
    } catch {
      return []; // The process has exited in the meantime.
    }
  });
}

async function checkDemo(folder: string): Promise<void> {
  const file = `${folder}/roses.md`;
  await Deno.writeTextFile(
    file,
    "# Roses\n\nRoses are pruned in early spring, above an outward bud.\n",
  );
  const local = { hostname: "127.0.0.1", port: 0 };
  const welcome = () =>
    new Response("<html>Welcome</html>", { headers: { "content-type": "text/html" } });
  const html = Deno.serve({ ...local, onListen: () => {} }, welcome);
  // The operating system accepts connections on this port, but no program reads from them.
  const silent = Deno.listen(local);
  const model = ({ port }: Deno.NetAddr) => ({
    PARLEY_MODEL: "some-model",
    PARLEY_MODEL_URL: `http://127.0.0.1:${port}/v1`,
  });
  const root = ROOT.pathname;
  const question = ["--question", "When are roses pruned?"];
  const expectations: [Start, number, RegExp][] = [
    [{ args: ["--folder", root] }, 0, /\n\n[A-Z][^|]+\. \[comm\/README\.md, "[^"]+"\]\n$/],
    [{ args: question }, 0, /\n\nRoses are pruned in early spring.* \[roses\.md, "Roses"\]\n$/],
    [{ args: ["--json"] }, 0, /"type":"message".*"verified":true[^]*"type":"run_finished"/],
    [{ args: ["--help"], env: { PARLEY_MODEL: "some-model" } }, 0, /^Usage: deno task demo/],
    [{ args: ["--tamper"] }, 1, /signature/],
    [{ args: ["--colour"] }, 2, /--colour/],
    [{ args: ["--question"] }, 2, /--question/],
    [{ args: ["--folder", "/missing"] }, 2, /\/missing/],
    [{ args: ["--folder", file] }, 2, /roses\.md is not a folder/],
    [{ env: { PARLEY_MODEL: "some-model" } }, 2, /PARLEY_MODEL_URL/],
    [{ env: { PARLEY_MODEL_URL: "http://127.0.0.1:1" } }, 2, /PARLEY_MODEL\b/],
    [{ env: { PARLEY_MODEL: "some-model", PARLEY_MODEL_URL: "localhost" } }, 2, /must be a URL/],
    [{ env: model(html.addr) }, 1, /got "text\/html"/],
    [{ args: ["--web"], interruptAfter: "calls search_files" }, 130, /^Interrupted\n$/],
    [{ args: ["--web"], interruptAfter: "Open http" }, 130, /^Interrupted\n$/],
    [{ args: ["--web"], interruptAfter: "verified the signed response" }, 130, /^Interrupted\n$/],
    [{ env: model(silent.addr), interruptAfter: "librarian  is" }, 130, /^Interrupted\n$/],
  ];
  for (const [start, code, says] of expectations) await check(folder, start, code, says);
  await checkPicture(await check(root, { args: ["--json"] }, 0, /"type":"answer"/));
  await checkReaderLeaves(folder);
  silent.close();
  const refused = /connection to 127\.0\.0\.1:\d+ failed/;
  await check(folder, { env: model(silent.addr) }, 1, refused);
  await html.shutdown();
}

await runTool("check:demo", async () => {
  await withTempDir(checkDemo);
  return 0;
});
