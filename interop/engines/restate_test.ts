import { assert, assertEquals } from "@std/assert";
import { findFreePort, RESTATE_INSTALL, RESTATE_SERVER, startRestate } from "./restate_server.ts";

/** Numbers of printed effects after which a worker is killed. */
const KILLS: readonly number[] = [2, 5, 9];
/** Effects of a run without kills. The effects of the sub-agent belong to one step. */
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
/** Start of the lines that the worker prints. */
const PREFIX = "effect: ";

const name =
  "A run in Restate survives killed workers and a killed server, and repeats only the steps in progress";
const skipped = RESTATE_SERVER === undefined;

Deno.test(skipped ? `${name} (skipped: run ${RESTATE_INSTALL})` : name, {
  ignore: skipped,
}, async () => {
  await using restate = await startRestate(RESTATE_SERVER ?? "");
  const port = findFreePort();
  const effects: string[] = [];
  const kills = [...KILLS];
  let worker = startWorker(port);
  const decided = Promise.withResolvers<void>();
  const ready = Promise.withResolvers<void>();
  let isOver = false;

  /** Reads the effects of each worker in turn, and kills the worker when the next number in `KILLS` is reached. */
  async function watch(): Promise<void> {
    while (!isOver) {
      for await (const line of effectsOf(worker)) {
        if (line === "ready") {
          ready.resolve();
          continue;
        }
        effects.push(line);
        if (line === "clerk 1") decided.resolve();
        if (effects.length !== kills[0]) continue;
        kills.shift();
        worker.kill("SIGKILL");
      }
      await worker.status;
      if (!isOver) worker = startWorker(port);
    }
  }

  const watching = watch();
  try {
    await ready.promise;
    await restate.register(port);
    await post(`${restate.ingress}/clerk/run-1/run/send`, "Pay");
    await decided.promise;
    const decision = { name: "run-1/i1/pay", decision: { decision: "approve" } };
    await restate.restart();
    await post(`${restate.ingress}/clerk/run-1/decide/send`, decision);
    const response = await fetch(`${restate.ingress}/restate/workflow/clerk/run-1/attach`);
    assertEquals(await response.json(), "Paid");
  } finally {
    isOver = true;
    worker.kill("SIGKILL");
    await watching;
  }
  assertEquals(kills, []);
  assertEquals([...new Set(effects)].toSorted(), [...EFFECTS, ...EFFECTS_OF_HELPER].toSorted());
  const repeats = effects.filter((effect, index) =>
    EFFECTS.includes(effect) && effects.indexOf(effect) !== index
  );
  // The server is killed once.
  assert(repeats.length <= KILLS.length + 1, `repeated: ${repeats.join(", ")}`);
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
