import { assert, assertEquals } from "@std/assert";
import { IS_FULL } from "./full_size.ts";
import { findFreePort, RESTATE_INSTALL, RESTATE_SERVER, startRestate } from "./restate_server.ts";

/** Number of runs. At most `RUNS_AT_ONCE` runs are in progress at the same time. */
const RUNS = IS_FULL ? 100 : 1;
const RUNS_AT_ONCE = 10;
/** Numbers of printed effects after which a worker is killed. */
const KILLS: readonly number[] = IS_FULL
  ? Array.from({ length: 30 }, (_, index) => 10 + 30 * index)
  : [2, 5, 9];
/** Approval counts at which the server is killed. */
const SERVER_KILLS: readonly number[] = IS_FULL ? [20, 40, 60, 80] : [1];
/** Effects of a run in which no process is killed. The sub-agent's effects belong to one step. */
const EFFECTS = [
  "clerk 0",
  'work {"at":"a"}',
  'work {"at":"b"}',
  "clerk 1",
  "pay",
  "clerk 2",
  "clerk 3",
];
const EFFECTS_OF_HELPER = ["helper 0", 'work {"at":"c"}', "helper 1"];
/** Prefix of the lines that the worker prints. */
const PREFIX = "effect: ";

const name =
  "Runs in Restate survive killed workers and a killed server, and repeat only the steps in progress";
const skipped = RESTATE_SERVER === undefined;

Deno.test(skipped ? `${name} (skipped: run ${RESTATE_INSTALL})` : name, {
  ignore: skipped,
}, async () => {
  await using restate = await startRestate(RESTATE_SERVER ?? "");
  const port = findFreePort();
  const effects: string[] = [];
  const kills = [...KILLS];
  let worker = startWorker(port);
  const asked = new Map<string, () => void>();
  const ready = Promise.withResolvers<void>();
  let isOver = false;

  /**
   * Reads the effects of each worker in turn, and kills the worker when the next number in `KILLS`
   * is reached.
   */
  async function watch(): Promise<void> {
    while (!isOver) {
      for await (const line of effectsOf(worker)) {
        if (line === "ready") {
          ready.resolve();
          continue;
        }
        effects.push(line);
        if (line.endsWith(" clerk 1")) asked.get(line.split(" ")[0] ?? "")?.();
        if (effects.length !== kills[0]) continue;
        kills.shift();
        worker.kill("SIGKILL");
      }
      await worker.status;
      if (!isOver) worker = startWorker(port);
    }
  }

  let decided = 0;
  let restarted: Promise<void> = Promise.resolve();
  /** Sends a request. Repeats the request if the server is killed before it responds. */
  async function persist<Result>(request: () => Promise<Result>): Promise<Result> {
    for (;;) {
      await restarted;
      try {
        return await request();
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
      }
    }
  }

  async function execute(key: string): Promise<unknown> {
    const isAsked = new Promise<void>((resolve) => asked.set(key, resolve));
    await persist(() => post(`${restate.ingress}/clerk/${key}/run/send`, "Pay"));
    await isAsked;
    decided++;
    if (SERVER_KILLS.includes(decided)) restarted = restate.restart();
    const decision = { name: `${key}/i1/pay`, decision: { decision: "approve" } };
    await persist(() => post(`${restate.ingress}/clerk/${key}/decide/send`, decision));
    const attach = `${restate.ingress}/restate/workflow/clerk/${key}/attach`;
    return await persist(async () => await (await fetch(attach)).json());
  }

  const keys = Array.from({ length: RUNS }, (_, index) => `run-${index}`);
  const results: unknown[] = [];
  const watching = watch();
  try {
    await ready.promise;
    await restate.register(port);
    const pending = [...keys];
    await Promise.all(Array.from({ length: RUNS_AT_ONCE }, async () => {
      for (let key = pending.shift(); key !== undefined; key = pending.shift()) {
        results.push(await execute(key));
      }
    }));
  } finally {
    isOver = true;
    worker.kill("SIGKILL");
    await watching;
  }
  assertEquals(kills, []);
  assertEquals(results, Array(RUNS).fill("Paid"));
  const expected = keys.flatMap((key) =>
    [...EFFECTS, ...EFFECTS_OF_HELPER].map((effect) => `${key} ${effect}`)
  );
  assertEquals([...new Set(effects)].toSorted(), expected.toSorted());
  const isOfHelper = (line: string): boolean =>
    EFFECTS_OF_HELPER.some((effect) => line.endsWith(` ${effect}`));
  const repeats = effects.filter((effect, index) =>
    !isOfHelper(effect) && effects.indexOf(effect) !== index
  );
  console.log(
    `${RUNS} runs in Restate, ${KILLS.length} killed workers, ${SERVER_KILLS.length} server kills: ` +
      `${repeats.length} steps in progress repeated`,
  );
  const faults = KILLS.length + SERVER_KILLS.length;
  const bound = faults * Math.min(RUNS, RUNS_AT_ONCE);
  assert(repeats.length <= bound, `repeated: ${repeats.join(", ")}`);
});

function startWorker(port: number): Deno.ChildProcess {
  const config = new URL("../deno.json", import.meta.url).pathname;
  const program = new URL("restate_worker.ts", import.meta.url).pathname;
  return new Deno.Command("deno", {
    args: ["run", "-A", "--quiet", "--no-check", "--config", config, program, String(port)],
    stdout: "piped",
    stderr: "null",
  }).spawn();
}

async function* effectsOf({ stdout }: Deno.ChildProcess): AsyncGenerator<string, void> {
  let rest = "";
  for await (const text of stdout.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith(PREFIX)) yield line.slice(PREFIX.length);
    }
  }
}

async function post(url: string, body: unknown): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  assert(response.ok, text);
}
