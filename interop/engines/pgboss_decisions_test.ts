import { assertEquals } from "@std/assert";
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { createInterface } from "node:readline";
import pg from "pg";
import { startPostgres } from "../../tools/testing/postgres.ts";
import { HAS_POSTGRES, POSTGRES_RELEASES } from "./postgres_releases.ts";

const PROGRAM = new URL("decision_worker.ts", import.meta.url).pathname;
const CONFIG = new URL("../deno.json", import.meta.url).pathname;

/** A process that executes runs and sends decisions. */
class Worker {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  readonly #ended: Promise<unknown>;

  constructor(url: string) {
    const args = ["run", "--quiet", "--no-check", "--config", CONFIG, "-A", PROGRAM, url];
    this.#child = spawn("deno", args);
    this.#child.stderr.pipe(process.stderr);
    this.#ended = once(this.#child, "exit");
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  async ask(command: string): Promise<string> {
    this.#child.stdin.write(`${command}\n`);
    return String((await this.#lines.next()).value);
  }

  async end(): Promise<void> {
    this.#child.stdin.end();
    assertEquals(await this.#ended, [0, null]);
  }
}

Deno.test("a decision that two processes send 50 times executes the tool once", {
  ignore: !HAS_POSTGRES,
}, async () => {
  await using server = await startPostgres({
    program: POSTGRES_RELEASES[18],
    settings: { fsync: "off" },
  });
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query("create table executed (key text)");
  const workers = [new Worker(server.url), new Worker(server.url)] as const;
  for (let index = 0; index < 5; index++) {
    const runId = `r${index}`;
    await workers[0].ask(`start ${runId}`);
    const key = await workers[0].ask(`wait ${runId}`);
    const outcomes = await Promise.all(
      workers.map(async (worker) => JSON.parse(await worker.ask(`decide ${runId} ${key} 25`))),
    );
    const all: string[] = outcomes.flat();
    assertEquals(all.filter((outcome) => outcome === "stored").length, 1);
    assertEquals(all.filter((outcome) => !["stored", "present", "ended"].includes(outcome)), []);
    assertEquals(await workers[1].ask(`end ${runId}`), "done");
  }
  for (const worker of workers) await worker.end();
  const { rows } = await client.query(
    "select key, count(*)::int as count from executed group by 1",
  );
  assertEquals(rows.map(({ count }) => count), [1, 1, 1, 1, 1]);
  await client.end();
});
