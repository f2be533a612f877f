/**
 * Runs the demo with correct and incorrect arguments. Every error must end with one line, a non-zero exit code, and
 * no child process left.
 *
 *     deno task check:demo
 *
 * @module
 */

import { readFlags, runTool, ToolError, withTempDir } from "../../tools/cli.ts";
import { ROOT } from "../../tools/members.ts";

const TIMEOUT_MS = 60_000;

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Start {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A line of output after which Ctrl-C is pressed. */
  readonly interruptAfter?: string;
}

function startDemo({ args, env = {} }: Start): Deno.ChildProcess {
  return new Deno.Command("deno", {
    args: ["task", "--quiet", "demo", ...args],
    cwd: ROOT,
    env: { NO_COLOR: "1", ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

async function runDemo(start: Start): Promise<Outcome> {
  const child = startDemo(start);
  const timer = setTimeout(() => child.kill("SIGKILL"), TIMEOUT_MS);
  let interruptAfter = start.interruptAfter;
  const collect = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> => {
    let text = "";
    for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (interruptAfter !== undefined && text.includes(interruptAfter)) {
        interruptAfter = undefined;
        pressCtrlC(child.pid);
      }
    }
    return text;
  };
  try {
    const [stdout, stderr, { code }] = await Promise.all([
      collect(child.stdout),
      collect(child.stderr),
      child.status,
    ]);
    return { code, stdout, stderr };
  } finally {
    clearTimeout(timer);
  }
}

/** Sends the signal as a terminal does: to the task runner and to all its descendants. */
function pressCtrlC(pid: number): void {
  for (const descendant of [pid, ...descendants(pid)]) {
    try {
      Deno.kill(descendant, "SIGINT");
    } catch {
      // The process has already ended.
    }
  }
}

function descendants(pid: number): number[] {
  let children: string;
  try {
    children = Deno.readTextFileSync(`/proc/${pid}/task/${pid}/children`);
  } catch {
    return [];
  }
  return children.trim().split(" ").filter((id) => id !== "").map(Number)
    .flatMap((child) => [child, ...descendants(child)]);
}

/** Processes whose command line names a folder. */
function processesNaming(folder: string): string[] {
  return [...Deno.readDirSync("/proc")].filter(({ name }) => /^\d+$/.test(name)).flatMap(
    ({ name }) => {
      try {
        const line = Deno.readTextFileSync(`/proc/${name}/cmdline`);
        return line.includes(folder) ? [line.replaceAll("\0", " ")] : [];
      } catch {
        return [];
      }
    },
  );
}

function expect(claim: boolean, what: string, outcome: Outcome): void {
  if (claim) return;
  const { code, stdout, stderr } = outcome;
  throw new ToolError(`${what}\nexit code ${code}\n--- stdout\n${stdout}\n--- stderr\n${stderr}`);
}

async function expectFailure(
  name: string,
  start: Start,
  code: number,
  says: RegExp,
): Promise<void> {
  const outcome = await runDemo(start);
  expect(outcome.code === code, `${name}: the exit code is not ${code}`, outcome);
  const lines = outcome.stderr.trim().split("\n");
  expect(lines.length === 1, `${name}: expected one line on standard error`, outcome);
  expect(says.test(lines[0] ?? ""), `${name}: the line does not match ${says}`, outcome);
  console.log(`${name}: ${lines[0]}`);
}

async function expectAnswer(folder: string): Promise<void> {
  const roses = await runDemo({
    args: ["--json", "--folder", folder, "--question", "When are roses pruned?"],
  });
  expect(roses.code === 0, "a question: the demo failed", roses);
  const events = roses.stdout.trim().split("\n").map((line) => JSON.parse(line));
  const answer = events.find(({ event }) => event === "answer")?.answer;
  expect(String(answer).includes("early spring"), "a question: the answer is wrong", roses);
  const lawn = await runDemo({
    args: ["--folder", folder, "--question", "How often is a lawn cut?"],
  });
  expect(lawn.stdout.includes("once a week"), "another question: the answer is wrong", lawn);
  console.log(`a question: ${answer}`);
}

/** Reads only the first line of output. */
async function expectReaderMayLeave(folder: string): Promise<void> {
  const child = startDemo({ args: ["--folder", folder] });
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  const [stderr, { code }] = await Promise.all([new Response(child.stderr).text(), child.status]);
  const outcome = { code, stdout: new TextDecoder().decode(value), stderr };
  expect(code === 0 && stderr === "", "a reader that closes the pipe: the demo fails", outcome);
  console.log("a reader that closes the pipe: no output");
}

async function expectCleanInterrupt(folder: string): Promise<void> {
  // A model that never responds, so that the demo is still running when it is interrupted.
  const silent = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) =>
      new Promise((resolve) => {
        request.signal.addEventListener("abort", () => resolve(new Response(null)));
      }),
  );
  try {
    const outcome = await runDemo({
      args: ["--folder", folder],
      env: endpoint(`http://127.0.0.1:${silent.addr.port}/v1`),
      interruptAfter: "and starts",
    });
    expect(outcome.code === 130, "Ctrl-C: the exit code is not 130", outcome);
    expect(!/\n\s+at /.test(outcome.stderr), "Ctrl-C: standard error has a stack trace", outcome);
    const left = processesNaming(folder);
    expect(left.length === 0, `Ctrl-C: remaining processes: ${left.join("; ")}`, outcome);
    console.log("Ctrl-C: no remaining processes");
  } finally {
    await silent.shutdown();
  }
}

function endpoint(url: string): Record<string, string> {
  return { PARLEY_MODEL_URL: url, PARLEY_MODEL: "some-model" };
}

/** Returns a port on which no server is listening. */
function closedPort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  listener.close();
  return listener.addr.port;
}

async function expectFailures(folder: string): Promise<void> {
  const missing = `${folder}/nowhere`;
  await expectFailure("no such folder", { args: ["--folder", missing] }, 2, /no such folder/);
  await expectFailure("unknown flag", { args: ["--colour"] }, 2, /--colour/);
  await expectFailure("missing value", { args: ["--folder"] }, 2, /--folder/);
  await expectFailure("a file", { args: ["--folder", `${folder}/roses.md`] }, 2, /not a folder/);
  const half = { args: [], env: { PARLEY_MODEL: "some-model" } };
  await expectFailure("an incomplete configuration", half, 2, /PARLEY_MODEL_URL/);
  const tamper = { args: ["--folder", folder, "--tamper"] };
  await expectFailure("a tampered answer", tamper, 1, /Cannot accept task_result.*signature/i);
  const down = { args: ["--folder", folder], env: endpoint(`http://127.0.0.1:${closedPort()}/v1`) };
  await expectFailure("a model that is down", down, 1, /connection to 127\.0\.0\.1:\d+ failed/);
  const rubbish = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response("<html>Welcome</html>", { headers: { "content-type": "text/html" } }),
  );
  try {
    const env = endpoint(`http://127.0.0.1:${rubbish.addr.port}/v1`);
    await expectFailure(
      "a model that responds with HTML",
      { args: ["--folder", folder], env },
      1,
      /./,
    );
  } finally {
    await rubbish.shutdown();
  }
}

async function checkDemo(folder: string): Promise<void> {
  await Deno.writeTextFile(
    `${folder}/roses.md`,
    "# Roses\n\nRoses are pruned in early spring, just above an outward bud.\n",
  );
  await Deno.writeTextFile(
    `${folder}/lawn.md`,
    "# Lawn\n\nA lawn is cut once a week from April on, never below four centimetres.\n",
  );
  await expectAnswer(folder);
  await expectReaderMayLeave(folder);
  await expectFailures(folder);
  await expectCleanInterrupt(folder);
  const left = processesNaming(folder);
  if (left.length > 0) throw new ToolError(`Remaining processes: ${left.join("; ")}`);
}

if (import.meta.main) {
  await runTool("check:demo", async () => {
    readFlags(Deno.args, {});
    await withTempDir(checkDemo);
    return 0;
  });
}
