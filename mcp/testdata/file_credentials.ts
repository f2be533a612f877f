/**
 * Tests for `fileStore()` that write files. The program runs the test named by its argument, in a
 * new folder. Tests have no permission to write files, so `file_test.ts` starts this program for
 * each test.
 *
 * @module
 */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { authorizedFetch } from "../auth.ts";
import { fileStore } from "../auth/file.ts";
import { FileLock } from "../auth/file_lock.ts";
import { McpError } from "../shared/error.ts";
import { credentialStoreChecks } from "../testing.ts";
import { OAuthWorld, RESOURCE } from "./oauth.ts";

const { signal } = new AbortController();

/** Acquires a lock in a process of its own, prints a line and waits. */
const HOLD = "hold a lock";

async function holdInChild(folder: string): Promise<Deno.ChildProcess> {
  const args = ["run", "--quiet", "--no-check", "-A", import.meta.filename ?? "", HOLD, folder];
  const child = new Deno.Command("deno", { args, stdout: "piped", stdin: "null" }).spawn();
  const reader = child.stdout.getReader();
  assertEquals(new TextDecoder().decode((await reader.read()).value), "held\n");
  reader.releaseLock();
  return child;
}

async function end(child: Deno.ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await child.stdout.cancel();
  await child.status;
}

function namesIn(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).toSorted();
}

/** Returns `true` if the promise has settled after some time. */
async function settlesSoon(promise: Promise<unknown>): Promise<boolean> {
  const late = new Promise<false>((resolve) => setTimeout(() => resolve(false), 300));
  return await Promise.race([promise.then(() => true, () => true), late]);
}

const TESTS: Readonly<Record<string, (folder: string) => Promise<void>>> = {
  ...Object.fromEntries(credentialStoreChecks.map(({ name, run }) => [
    `passes the check: ${name}`,
    (folder: string) => run(() => fileStore(`${folder}/a.json`)),
  ])),

  "creates missing folders and files that only the current user can access": async (folder) => {
    if (Deno.build.os === "windows") return;
    const store = fileStore(`${folder}/b/c/a.json`);
    await using _lock = await store.lock?.("k", signal);
    await store.save("k", "v");
    const names = ["b", "b/c", "b/c/a.json", "b/c/a.json.locks"];
    const modes = names.map((name) => (Deno.statSync(`${folder}/${name}`).mode ?? 0) & 0o777);
    assertEquals(modes, [0o700, 0o700, 0o600, 0o700]);
    for (const name of namesIn(`${folder}/b/c/a.json.locks`)) {
      assertEquals((Deno.statSync(`${folder}/b/c/a.json.locks/${name}`).mode ?? 0) & 0o777, 0o600);
    }
  },

  "writes to no file that exists under the name of its temporary file": async (folder) => {
    if (Deno.build.os === "windows") return;
    const path = `${folder}/a.json`;
    const locks = `${path}.locks`;
    Deno.mkdirSync(locks);
    Deno.writeTextFileSync(`${locks}/write.1.new`, "", { mode: 0o666 });
    Deno.symlinkSync(`${folder}/stolen`, `${locks}/write.2.new`);
    for (const value of ["1", "2"]) {
      await fileStore(path).save("k", value);
      const { mode, isSymlink } = Deno.lstatSync(path);
      assertEquals([(mode ?? 0) & 0o777, isSymlink], [0o600, false]);
    }
    assertEquals(namesIn(folder), ["a.json", "a.json.locks"]);
  },

  "waits for the lock of another writer with the greatest staleMs": async (folder) => {
    const store = fileStore(`${folder}/a.json`, { staleMs: 2 ** 31 - 1 });
    const lock = await new FileLock(`${folder}/a.json.locks`, "write", 60_000).acquire(signal);
    const saved = Promise.resolve(store.save("k", "v"));
    assertEquals(await settlesSoon(saved), false);
    await lock[Symbol.asyncDispose]();
    await saved;
    assertEquals(await store.load("k"), "v");
  },

  "reports a lock file with the highest number": async (folder) => {
    Deno.mkdirSync(`${folder}/a.json.locks`);
    Deno.writeTextFileSync(`${folder}/a.json.locks/write.999999999999999`, "");
    const save = async () => await fileStore(`${folder}/a.json`).save("k", "v");
    const error = await assertRejects(save, McpError);
    assert(String(error.cause).includes("lock files"), String(error.cause));
    await assertRejects(
      () => new FileLock(`${folder}/a.json.locks`, "write", 1).acquire(signal),
      Error,
      "are damaged; delete them",
    );
  },

  "replaces a file that other users can read": async (folder) => {
    if (Deno.build.os === "windows") return;
    const path = `${folder}/a.json`;
    await Deno.writeTextFile(path, '{"a":"1"}', { mode: 0o644 });
    await fileStore(path).save("b", "2");
    assertEquals((Deno.statSync(path).mode ?? 0) & 0o777, 0o600);
    assertEquals(JSON.parse(await Deno.readTextFile(path)), { a: "1", b: "2" });
  },

  "leaves only one file for each lock, without secrets": async (folder) => {
    const store = fileStore(`${folder}/a.json`);
    for (let round = 0; round < 5; round++) {
      await using _lock = await store.lock?.("tokens https://mcp.example", signal);
      await store.save("k", "planted-secret");
    }
    assertEquals(namesIn(folder), ["a.json", "a.json.locks"]);
    const names = namesIn(`${folder}/a.json.locks`);
    assertEquals(names.length, 2);
    for (const name of names) {
      assert(!(await Deno.readTextFile(`${folder}/a.json.locks/${name}`)).includes("planted"));
    }
  },

  "deletes what processes have left behind": async (folder) => {
    const locks = `${folder}/a.json.locks`;
    await Deno.mkdir(locks);
    for (const name of ["write.3", "write.4", "write.4.new", "write.1.new", "write.x.part"]) {
      await Deno.writeTextFile(`${locks}/${name}`, "");
    }
    await fileStore(`${folder}/a.json`).save("k", "v");
    assertEquals(namesIn(locks), ["write.5"]);
  },

  "rejects a damaged file without quoting it, and does not replace it": async (folder) => {
    const path = `${folder}/a.json`;
    const store = fileStore(path);
    for (const text of ["planted-secret", '"planted"', "[]", '{"a":{"planted":1}}', "", "null"]) {
      await Deno.writeTextFile(path, text);
      for (const act of [() => store.load("a"), () => store.save("a", "b")]) {
        const error = await assertRejects(async () => await act(), McpError, "is damaged; delete");
        assertEquals(error.code, "auth_error");
        assert(!Deno.inspect(error).includes("planted"));
      }
      assertEquals(await Deno.readTextFile(path), text);
    }
    // The failed saves have released the lock.
    await Deno.remove(path);
    await store.save("a", "b");
  },

  "saves up to maxBytes bytes, and rejects more without writing it": async (folder) => {
    const path = `${folder}/a.json`;
    const store = fileStore(path, { maxBytes: 12 });
    await store.save("a", "\u20ac1"); // {"a":"€1"}
    await assertRejects(
      async () => await store.save("a", "\u20ac\u20ac\u20ac"),
      McpError,
      "maxBytes",
    );
    assertEquals(await store.load("a"), "\u20ac1");
    const small = fileStore(path, { maxBytes: 11 });
    await assertRejects(async () => await small.load("a"), McpError, "exceeds 11 bytes");
  },

  "reports a path that cannot be used": async (folder) => {
    await Deno.writeTextFile(`${folder}/file`, "");
    for (const path of [folder, `${folder}/file/a.json`]) {
      const store = fileStore(path);
      await assertRejects(async () => await store.load("a"), McpError);
      await assertRejects(async () => await store.save("a", "b"), McpError);
    }
    const store = fileStore(`${folder}/file/a.json`);
    await assertRejects(async () => await store.lock?.("a", signal), McpError, "locking");
  },

  "lets no client log in or send a token if the file or the folder of locks cannot be used": async (
    folder,
  ) => {
    const failures: readonly ((path: string) => void)[] = [
      (path) => Deno.mkdirSync(path),
      (path) => Deno.writeTextFileSync(path, "damaged"),
      (path) => Deno.writeTextFileSync(path, '{"planted":{"access_token":"planted"}}'),
      (path) => Deno.writeTextFileSync(`${path}.locks`, ""),
    ];
    for (const [index, fail] of failures.entries()) {
      const path = `${folder}/${index}.json`;
      fail(path);
      const world = new OAuthWorld();
      const fetch = authorizedFetch({ ...world.config, store: fileStore(path) }, {
        resource: RESOURCE,
        fetch: world.fetch,
      });
      const error = await assertRejects(() => fetch(RESOURCE, { method: "POST" }), McpError);
      assertEquals([error.code, world.logins], ["auth_error", []]);
      assert(!world.sent.some(({ headers }) => headers.has("authorization")));
      assertEquals(world.to("https://login.example/token"), []);
    }
  },

  "keeps the values in the file if the new file cannot be written": async (folder) => {
    const path = `${folder}/a.json`;
    await fileStore(path).save("a", "1");
    // The second save cannot create a file under the name of a directory that is not empty.
    Deno.mkdirSync(`${path}.locks/write.2.new/x`, { recursive: true });
    await assertRejects(async () => await fileStore(path).save("a", "2"), McpError, "writing");
    assertEquals(await fileStore(path).load("a"), "1");
    await fileStore(path).save("a", "3");
    assertEquals(await fileStore(path).load("a"), "3");
  },

  "takes the lock of a process that was killed": async (folder) => {
    const child = await holdInChild(folder);
    const lock = new FileLock(folder, "l", 3_600_000);
    const waiting = lock.acquire(signal);
    assertEquals(await settlesSoon(waiting), false);
    await end(child);
    assertEquals((await waiting).generation, 2);
    await (await waiting)[Symbol.asyncDispose]();
  },

  "takes the lock of another host if it does not change for staleMs": async (folder) => {
    const other = JSON.stringify({ host: "elsewhere 1", pid: 1 });
    for (const [index, text] of [other, "unreadable", '{"pid":1}'].entries()) {
      await Deno.writeTextFile(`${folder}/l${index}.7`, text);
      // The file system of another host may have another time.
      await Deno.utime(`${folder}/l${index}.7`, new Date(0), new Date(0));
      const started = performance.now();
      const held = await new FileLock(folder, `l${index}`, 200).acquire(signal);
      assert(performance.now() - started >= 200);
      assertEquals(held.generation, 8);
      await held[Symbol.asyncDispose]();
    }
  },

  "does not take the lock of a process that renews it": async (folder) => {
    const held = await new FileLock(folder, "l", 150).acquire(signal);
    const waiting = new FileLock(folder, "l", 150).acquire(signal);
    for (let round = 0; round < 3; round++) assertEquals(await settlesSoon(waiting), false);
    assertEquals(await held.isHeld(), true);
    await held[Symbol.asyncDispose]();
    await (await waiting)[Symbol.asyncDispose]();
  },

  "does not let a process that has lost the lock release or hold it": async (folder) => {
    const lost = await new FileLock(folder, "l", 3_600_000).acquire(signal);
    const next = await new FileLock(folder, "l", 100).acquire(signal);
    assertEquals([await lost.isHeld(), await next.isHeld()], [false, true]);
    await lost[Symbol.asyncDispose]();
    assertEquals(await settlesSoon(new FileLock(folder, "l", 3_600_000).acquire(signal)), false);
    await next[Symbol.asyncDispose]();
  },

  "ends the wait for a lock at the login timeout of a client": async (folder) => {
    const store = fileStore(`${folder}/a.json`);
    await using _lock = await store.lock?.(`tokens ${RESOURCE}`, signal);
    const world = new OAuthWorld();
    const fetch = authorizedFetch({ ...world.config, store, loginTimeoutMs: 100 }, {
      resource: RESOURCE,
      fetch: world.fetch,
    });
    await assertRejects(
      () => fetch(RESOURCE, { method: "POST" }),
      McpError,
      "waiting for another client that uses the credential store timed out",
    );
    assertEquals(world.logins, []);
  },
};

/** Names of the tests. */
export const FILE_TESTS: readonly string[] = Object.keys(TESTS);

if (import.meta.main) {
  const [name = "", given] = Deno.args;
  if (name === HOLD) {
    await new FileLock(given ?? "", "l", 3_600_000).acquire(signal);
    console.log("held");
  } else {
    const folder = await Deno.makeTempDir();
    try {
      await TESTS[name]?.(folder);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
    Deno.exit(0);
  }
}
