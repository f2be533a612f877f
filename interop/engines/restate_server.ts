/**
 * Starts a Restate server for a test. The `RESTATE_SERVER` environment variable contains the path
 * to the program, which is not installed with the other packages because its size is 220 MB.
 *
 * @module
 */

/** Path to the Restate server program. If `undefined`, the tests with Restate are skipped. */
export const RESTATE_SERVER: string | undefined = Deno.env.get("RESTATE_SERVER");

/** Command that installs the Restate server, shown in the names of skipped tests. */
export const RESTATE_INSTALL =
  "npm install @restatedev/restate-server@1.7.12 and set RESTATE_SERVER to node_modules/@restatedev/restate-server-<platform>/bin/restate-server";

/** A running Restate server. */
export interface Restate extends AsyncDisposable {
  /** Base URL for calls to workflows. */
  readonly ingress: string;
  /** Kills the server with SIGKILL, and restarts the server with the same data and ports. */
  restart(): Promise<void>;
  /** Registers the worker that listens on a loopback port. */
  register(port: number): Promise<void>;
}

/** Time limit for the server to become ready, in milliseconds. */
const START_TIMEOUT_MS = 60_000;

/** Starts a server with a temporary folder. */
export async function startRestate(program: string): Promise<Restate> {
  const dir = await Deno.makeTempDir({ prefix: "parley-restate-" });
  const [ingressPort, adminPort, nodePort] = [findFreePort(), findFreePort(), findFreePort()];
  const command = new Deno.Command(program, {
    args: ["--base-dir", dir, "--node-name", "n1"],
    env: {
      RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingressPort}`,
      RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${adminPort}`,
      RESTATE_BIND_ADDRESS: `127.0.0.1:${nodePort}`,
      RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${nodePort}/`,
      RESTATE_DISABLE_TELEMETRY: "true",
    },
    stdout: "null",
    stderr: "null",
  });
  let server = command.spawn();
  const kill = async (): Promise<void> => {
    server.kill("SIGKILL");
    await server.status;
  };
  const stop = async (): Promise<void> => {
    await kill();
    await Deno.remove(dir, { recursive: true });
  };
  const waitForServer = async (): Promise<void> => {
    await waitUntilReady(`http://127.0.0.1:${adminPort}/health`);
    await waitUntilReady(`http://127.0.0.1:${ingressPort}/restate/health`);
  };
  try {
    await waitForServer();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    ingress: `http://127.0.0.1:${ingressPort}`,
    async restart() {
      await kill();
      server = command.spawn();
      await waitForServer();
    },
    async register(port) {
      const response = await fetch(`http://127.0.0.1:${adminPort}/deployments`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ uri: `http://127.0.0.1:${port}` }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`Cannot register the worker: ${text}`);
    },
    [Symbol.asyncDispose]: stop,
  };
}

/** Returns a free loopback port. */
export function findFreePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

async function waitUntilReady(url: string): Promise<void> {
  const end = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    const isReady = await fetch(url).then(
      (response) => response.body?.cancel().then(() => response.ok),
      () => false,
    );
    if (isReady) return;
    if (performance.now() > end) throw new Error(`Restate is not ready: ${url}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
