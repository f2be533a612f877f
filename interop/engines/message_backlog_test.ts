import { assert, assertEquals } from "@std/assert";
import { pgBossQueue } from "@parley/comm/pgboss";
import { PgBoss } from "pg-boss";
import { startPostgres } from "../../tools/testing/postgres.ts";
import { HAS_POSTGRES, POSTGRES_RELEASES } from "./postgres_releases.ts";

const MESSAGES = 10_000;

/** Maximum heap growth between the two measurements, during which 9 MB of messages are sent. */
const MAX_GROWTH_BYTES = 2_000_000;

Deno.test(
  "The memory of a sender does not grow while the consumer is down, and the consumer catches up",
  {
    ignore: !HAS_POSTGRES,
  },
  async () => {
    await using server = await startPostgres({
      program: POSTGRES_RELEASES[18],
      settings: { fsync: "off" },
    });
    const sender = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-A",
        "--no-check",
        "--quiet",
        "--v8-flags=--expose-gc",
        `--config=${new URL("../deno.json", import.meta.url).pathname}`,
        new URL("./message_backlog_sender.ts", import.meta.url).pathname,
        server.url,
        String(MESSAGES),
      ],
      stderr: "inherit",
    });
    const { success, stdout } = await sender.output();
    assert(success);
    const [early = NaN, late = NaN] = new TextDecoder().decode(stdout).trim().split("\n").map(
      Number,
    );
    assert(late - early < MAX_GROWTH_BYTES, `the heap grew from ${early} to ${late} bytes`);

    await using queue = await pgBossQueue({
      PgBoss,
      connectionString: server.url,
      inboxOf: () => "backlog",
      batchSize: 32,
    });
    const received = new Set<unknown>();
    const stopping = new AbortController();
    await queue.consume("backlog", ({ message: { id } }) => {
      received.add(id);
      if (received.size === MESSAGES) stopping.abort();
    }, { concurrency: 64, signal: stopping.signal });
    assertEquals(received.size, MESSAGES);
  },
);
