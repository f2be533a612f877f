/**
 * Starts NATS servers with JetStream for tests. Each server has its own temporary folder and its
 * own port on loopback.
 *
 * @module
 */

import { startOnFreePort } from "../../conformance/platform/net.ts";

/** Command that installs the NATS server on Debian. */
export const INSTALL_NATS = "apt-get install -y nats-server";

/** Debian installs the server in a folder that is only on root's PATH. */
const PATH = `${Deno.env.get("PATH")}:/usr/sbin`;

/** Whether the NATS server is installed. */
export const HAS_NATS: boolean = await findServer();

/** Text that the server prints when it accepts connections. */
const READY = "Server is ready";

/** Time limit for the server to accept connections, in milliseconds. */
const START_TIMEOUT_MS = 30_000;

/** A NATS server. */
export interface NatsServer extends AsyncDisposable {
  /** URL of the server, which remains the same after {@linkcode NatsServer.restart}. */
  readonly url: string;
  /** Process identifier of the running server. */
  readonly pid: number;
  /** Kills the server with SIGKILL, and keeps the stored messages. */
  kill(): Promise<void>;
  /** Kills the server if it is running, and restarts it with the same data and port. */
  restart(): Promise<void>;
}

/** Options for {@linkcode startNats}. */
export interface NatsServerOptions {
  /** Whether the server has JetStream. @default {true} */
  readonly hasJetStream?: boolean;
}

/**
 * Starts a NATS server with an empty store.
 *
 * @throws {Error} If the server does not start within 30 seconds.
 */
export async function startNats(options: NatsServerOptions = {}): Promise<NatsServer> {
  const { hasJetStream = true } = options;
  const folder = await Deno.makeTempDir({ prefix: "parley-nats-" });
  const store = hasJetStream ? ["--jetstream", "--store_dir", folder] : [];
  const deleteStore = () => Deno.remove(folder, { recursive: true });
  try {
    const [port, server] = await startOnFreePort(async (port) => {
      const server = new Server(["--addr", "127.0.0.1", "--port", String(port), ...store]);
      await server.start().catch(async (error) => {
        await server.kill();
        throw error;
      });
      return [port, server] as const;
    });
    return {
      url: `nats://127.0.0.1:${port}`,
      get pid() {
        return server.pid;
      },
      kill: () => server.kill(),
      async restart() {
        await server.kill();
        await server.start();
      },
      async [Symbol.asyncDispose]() {
        await server.kill();
        await deleteStore();
      },
    };
  } catch (error) {
    await deleteStore();
    throw error;
  }
}

/** A server process that can be killed and started again. */
class Server {
  readonly #args: readonly string[];
  #child: Deno.ChildProcess | undefined;
  #log: Promise<void> = Promise.resolve();

  constructor(args: readonly string[]) {
    this.#args = args;
  }

  get pid(): number {
    return this.#child?.pid ?? NaN;
  }

  async start(): Promise<void> {
    this.#child = new Deno.Command("nats-server", {
      args: [...this.#args],
      env: { PATH },
      stdout: "null",
      stderr: "piped",
    }).spawn();
    const ready = Promise.withResolvers<void>();
    this.#log = readLog(this.#child.stderr, ready);
    const timer = setTimeout(
      () => ready.reject(new Error(`nats-server is not ready after ${START_TIMEOUT_MS} ms`)),
      START_TIMEOUT_MS,
    );
    await ready.promise.finally(() => clearTimeout(timer));
  }

  async kill(): Promise<void> {
    try {
      this.#child?.kill("SIGKILL");
    } catch {
      // The process has exited.
    }
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
  ready.reject(new Error(`Cannot start nats-server: ${tail.trim()}`));
}

async function findServer(): Promise<boolean> {
  const args = ["-c", "command -v nats-server"];
  const command = new Deno.Command("sh", { args, env: { PATH }, stdout: "null" });
  return (await command.output()).success;
}
