/**
 * Tests for `SqliteReplayStore` with database files. The program runs the test named by its
 * argument, in a new folder. Tests have no permission to write files, so `sqlite_test.ts` starts
 * this program for each test.
 *
 * @module
 */

import { assertEquals, assertThrows } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { AgentCommMessage } from "../message/message.ts";
import { createVerifier } from "../policy.ts";
import { CommError } from "../shared/error.ts";
import { signMessage } from "../signing/signing.ts";
import { SqliteReplayStore } from "../sqlite.ts";
import { replayStoreChecks } from "../testing.ts";
import { ANN, BOB, PROTOCOL } from "./peers.ts";

const SENDER = "did:web:ann.example";

/** Verifies a message and then kills the process, without closing the store. */
const VERIFY_AND_DIE = "verify and die";

async function runChecks(path: string): Promise<void> {
  const stores: SqliteReplayStore[] = [];
  for (const check of replayStoreChecks) {
    await check.run((limits) => {
      const store = new SqliteReplayStore(path, limits);
      stores.push(store);
      return store;
    });
  }
  for (const store of stores) await store.close();
}

async function verify(path: string): Promise<string> {
  const addressed = { sender: ANN.did, recipient: BOB.did, protocol: PROTOCOL };
  const id = "019012d3-7c00-7000-8000-000000000001";
  const unsigned = new AgentCommMessage({ ...addressed, id, messageType: "task", payload: 1 });
  const replayGuard = new SqliteReplayStore(path);
  const policy = { maxAgeMs: Infinity };
  const verifier = createVerifier({ recipient: BOB.did, policy, replayGuard });
  const result = await verifier.verify(await signMessage(unsigned, ANN));
  return result.ok ? "accepted" : result.reason;
}

/** Starts this program, and returns what the program prints before it is killed. */
async function verifyInChild(path: string): Promise<string> {
  const args = ["run", "--quiet", "--no-check", "-A", import.meta.filename ?? "", VERIFY_AND_DIE];
  const { stdout } = await new Deno.Command("deno", { args: [...args, path] }).output();
  return new TextDecoder().decode(stdout).trim();
}

const TESTS: Readonly<Record<string, (path: string) => Promise<void>>> = {
  "passes the checks of replay stores": runChecks,

  "rejects the replay of an accepted message after the process was killed": async (path) => {
    const results = [await verifyInChild(path), await verifyInChild(path)];
    assertEquals(results, ["accepted", "replay_detected"]);
  },

  "admits a message once if several processes receive the message": async (path) => {
    const results = await Promise.all([1, 2, 3, 4].map(() => verifyInChild(path)));
    assertEquals(results.toSorted(), ["accepted", ...Array(3).fill("replay_detected")]);
  },

  "removes only its own reservations in abort()": async (path) => {
    const [first, second] = [new SqliteReplayStore(path), new SqliteReplayStore(path)];
    const untilMs = Date.now() + 60_000;
    await first.begin(SENDER, "1", untilMs);
    await second.abort(SENDER, "1");
    assertEquals(await second.begin(SENDER, "1", untilMs), "reserved");
    await first.abort(SENDER, "1");
    assertEquals(await second.begin(SENDER, "1", untilMs), true);
    await Promise.all([first.close(), second.close()]);
  },

  "counts the entries of a file when it opens the file": async (path) => {
    for (const expected of [true, "full"]) {
      const store = new SqliteReplayStore(path, { maxEntries: 1 });
      assertEquals(await store.begin(SENDER, `${expected}`, Date.now() + 60_000), expected);
      await store.close();
    }
  },

  "stores neither senders nor ids": async (path) => {
    const store = new SqliteReplayStore(path);
    await store.begin("did:web:secret.example", "secret-id", Date.now() + 60_000);
    await store.close();
    const text = new TextDecoder("latin1").decode(await Deno.readFile(path));
    assertEquals(text.includes("secret"), false);
  },

  "throws for a database that belongs to another program, and leaves it unchanged": async (
    path,
  ) => {
    const database = new DatabaseSync(path);
    database.exec("create table other (id text)");
    database.close();
    const before = await Deno.readFile(path);
    const open = () => new SqliteReplayStore(path);
    const error = assertThrows(open, CommError, "belongs to another program");
    assertEquals([error.code, error.details], ["replay_store_failed", {
      method: "open",
      reason: "the file is a database that belongs to another program",
    }]);
    assertEquals(await Deno.readFile(path), before);
  },

  "throws for a file that is not a database": async (path) => {
    await Deno.writeTextFile(path, "text ".repeat(1000));
    assertThrows(() => new SqliteReplayStore(path), CommError, "Cannot open the replay store");
  },

  "throws for a database with a different schema version": async (path) => {
    await new SqliteReplayStore(path).close();
    const database = new DatabaseSync(path);
    database.exec("pragma user_version = 9");
    database.close();
    assertThrows(() => new SqliteReplayStore(path), CommError, "schema version 9");
  },
};

/** Names of the tests. */
export const FILE_TESTS: readonly string[] = Object.keys(TESTS);

async function main([name = "", path = ""]: readonly string[]): Promise<void> {
  if (name === VERIFY_AND_DIE) {
    await Deno.stdout.write(new TextEncoder().encode(await verify(path)));
    Deno.kill(Deno.pid, "SIGKILL");
  }
  const folder = await Deno.makeTempDir();
  try {
    await TESTS[name]?.(`${folder}/replay.db`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

if (import.meta.main) await main(Deno.args);
