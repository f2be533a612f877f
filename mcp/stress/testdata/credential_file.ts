/**
 * Processes that share the locks of a `fileStore()` and are killed at random points. Tests have no
 * permission to write files, so `credential_file_test.ts` starts this program, which starts the
 * processes. Prints a JSON object with the counts.
 *
 *     deno run -A mcp/stress/testdata/credential_file.ts KILLS
 *
 * @module
 */

import { TextLineStream } from "@std/streams/text-line-stream";
import { fileStore } from "../../auth/file.ts";

const PROCESSES = 3;
const WORK = "work";

/** Maximum number of sections before a process is killed. */
const MAX_SECTIONS = 8;

/**
 * Enters and leaves critical sections until the process is killed. A section fails if a living
 * process is in another section.
 */
async function work(folder: string): Promise<never> {
  const store = fileStore(`${folder}/a.json`);
  const { signal } = new AbortController();
  for (;;) {
    await using _lock = await store.lock?.("k", signal);
    const inside = `${folder}/inside`;
    const other = Deno.readTextFileSync(inside);
    if (other !== "" && isAlive(Number(other))) console.log("two holders");
    Deno.writeTextFileSync(inside, `${Deno.pid}`);
    await store.save("count", `${Number(await store.load("count") ?? "0") + 1}`);
    Deno.writeTextFileSync(inside, "");
    console.log("section");
  }
}

function isAlive(pid: number): boolean {
  try {
    Deno.kill(pid, "SIGCONT");
    return true;
  } catch {
    return false;
  }
}

/** Starts processes one after another, and kills each of them after some sections. */
async function startAndKill(folder: string, kills: number): Promise<readonly string[]> {
  const lines: string[] = [];
  for (let kill = 0; kill < kills; kill++) {
    const args = ["run", "--quiet", "--no-check", "-A", import.meta.filename ?? "", WORK, folder];
    const child = new Deno.Command("deno", { args, stdout: "piped", stdin: "null" }).spawn();
    const reader = child.stdout.pipeThrough(new TextDecoderStream())
      .pipeThrough(new TextLineStream()).getReader();
    const sections = 1 + Math.floor(Math.random() * MAX_SECTIONS);
    for (let count = 0; count < sections; count++) {
      const { value } = await reader.read();
      if (value !== undefined) lines.push(value);
    }
    child.kill("SIGKILL");
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      lines.push(next.value);
    }
    await child.status;
  }
  return lines;
}

if (import.meta.main) {
  const [first = "", folder = ""] = Deno.args;
  if (first === WORK) await work(folder);
  const shared = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${shared}/inside`, "");
    const all = await Promise.all(
      Array.from({ length: PROCESSES }, () => startAndKill(shared, Number(first))),
    );
    const lines = all.flat();
    const count = Number(await fileStore(`${shared}/a.json`).load("count"));
    console.log(JSON.stringify({
      sections: lines.filter((line) => line === "section").length,
      count,
      twoHolders: lines.includes("two holders"),
      files: [...Deno.readDirSync(`${shared}/a.json.locks`)].length,
    }));
  } finally {
    await Deno.remove(shared, { recursive: true });
  }
}
