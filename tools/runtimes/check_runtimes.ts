/**
 * Puts the packages, installed from npm tarballs, before the conformance kit on every runtime: its verdicts must be the
 * same, case by case. What the kit's drivers do not use is tried beside it.
 *
 *     deno task check:runtimes                                builds the packages first
 *
 * @module
 */

import { type CaseResult, countResults, run as runCases, Verdict } from "@parley/conformance";
import { usesDeno } from "../check_layers.ts";
import { readFlags, run, runTool, step, ToolError, withTempDir } from "../cli.ts";
import { readMembers, ROOT } from "../members.ts";
import { install, packAll } from "../packages.ts";

/** How a runtime is found and how it starts a program. */
interface Runtime {
  readonly name: string;
  /** The npm package that holds it; without one it is the Deno that runs this. */
  readonly npm?: string;
  readonly flags?: readonly string[];
}

const RUNTIMES: readonly Runtime[] = [
  { name: "deno", flags: ["run", "-A", "--quiet"] },
  { name: "node 20", npm: "node@20" },
  { name: "node 22", npm: "node@22" },
  { name: "node 24", npm: "node@24" },
  { name: "bun", npm: "bun@1.4.5" },
];

const PROGRAMS: readonly string[] = [
  "conformance/drivers/typescript/parley.ts",
  "conformance/drivers/typescript/everything_stdio.ts",
  "tools/runtimes/programs/smoke.ts",
];

/** Verdicts that say nothing against a subject. */
const FINE: ReadonlySet<string> = new Set([
  Verdict.Pass,
  Verdict.NotApplicable,
  Verdict.Untestable,
]);

/** What is put before programs that use the streams of `Deno`. */
const STREAMS = new URL("programs/deno_streams.js", import.meta.url);

/** Machines that check several things at once are slow; nothing here measures time. */
const TIMEOUT_FACTOR = 5;

/** The start of a command line: a runtime's binary and flags. */
async function commandOf({ npm, flags = [] }: Runtime): Promise<readonly string[]> {
  if (npm === undefined) return [Deno.execPath(), ...flags];
  const args = ["--yes", npm, "-p", "process.execPath"];
  const { stdout } = await run("npx", args);
  return [stdout.trim(), ...flags];
}

/** Makes one JavaScript file of a program, for runtimes that know no TypeScript; the packages stay outside. */
async function transpile(program: string, project: string): Promise<void> {
  const outside = ["--external=@parley/*", "--external=*/comm/ed25519.ts"];
  const { stdout } = await run("deno", ["bundle", "--quiet", ...outside, program], { cwd: ROOT });
  const script = stdout
    .replaceAll("import.meta.main", "true")
    .replaceAll(/"[./]*\/comm\/ed25519\.ts"/g, `"./node_modules/@parley/comm/esm/ed25519.js"`);
  const head = usesDeno(script) ? await Deno.readTextFile(STREAMS) : "";
  const name = program.replace(/^.*\//, "").replace(/ts$/, "js");
  await Deno.writeTextFile(`${project}/${name}`, `${head}\n${script}`);
}

/** What the kit found on a runtime. */
export interface Judgement {
  readonly runtime: string;
  /** By case and transport. */
  readonly results: ReadonlyMap<string, Judged>;
}

/** What matters of a result. */
export type Judged = Pick<CaseResult, "verdict" | "isRequired" | "expected" | "got" | "note">;

/** Runs every case, and what the kit's drivers do not use. */
async function judge(runtime: Runtime, project: string): Promise<Judgement> {
  const [program = "", ...flags] = await commandOf(runtime);
  const started = performance.now();
  const report = await runCases({
    subject: {
      driver: { command: [program, ...flags, `${project}/parley.js`] },
      server: [program, ...flags, `${project}/everything_stdio.js`],
    },
    timeoutFactor: TIMEOUT_FACTOR,
  });
  const smoke = [`${project}/${runtime.name}.jsonl`, ...flags, `${project}/everything_stdio.js`];
  await run(program, [...flags, `${project}/smoke.js`, ...smoke]);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const { passed, failed, notApplicable, untestable, optional } = countResults(report);
  console.log(
    `${runtime.name.padEnd(8)} ${passed} passed, ${failed} failed, ${optional} optional failed, ` +
      `${notApplicable} n/a, ${untestable} untestable; files and processes work; ${seconds} s`,
  );
  return { runtime: runtime.name, results: new Map(report.results.map(toEntry)) };
}

function toEntry(result: CaseResult): [string, CaseResult] {
  const { id, transport } = result;
  return [transport === undefined ? id : `${id} over ${transport}`, result];
}

/** Required cases that fail on every runtime and cases on which they disagree, each with what was seen. */
export function findTrouble(judgements: readonly Judgement[]): string[] {
  const ids = new Set(judgements.flatMap(({ results }) => [...results.keys()]));
  return [...ids].sort().flatMap((id) => {
    const found = judgements.map(({ results }) => results.get(id));
    const isOne = new Set(found.map((result) => result?.verdict)).size === 1;
    const [first] = found;
    if (isOne && (first === undefined || FINE.has(first.verdict) || !first.isRequired)) return [];
    const seen = judgements.map(({ runtime }, i) =>
      `  ${runtime.padEnd(8)} ${summarize(found[i])}`
    );
    return [[id, ...seen].join("\n")];
  });
}

function summarize(result?: Judged): string {
  if (result === undefined) return "absent";
  const { verdict, expected, got, note } = result;
  if (FINE.has(verdict)) return verdict;
  return `${verdict}: ${note ?? ""} expected ${expected ?? "-"}, got ${got ?? "-"}`;
}

async function check(dir: string): Promise<void> {
  const project = `${dir}/project`;
  await step("npm pack and install", async () => {
    await install(project, await packAll(await readMembers(), dir));
  });
  await step("transpile", async () => {
    for (const program of PROGRAMS) await transpile(program, project);
  });
  const judgements: Judgement[] = [];
  for (const runtime of RUNTIMES) judgements.push(await judge(runtime, project));
  const trouble = findTrouble(judgements);
  if (trouble.length > 0) throw new ToolError(`Not conforming everywhere:\n${trouble.join("\n")}`);
  console.log(`${RUNTIMES.length} runtimes, one verdict on each case`);
}

async function main(): Promise<number> {
  readFlags(Deno.args, {});
  await withTempDir(check);
  return 0;
}

if (import.meta.main) await runTool("check_runtimes", main);
