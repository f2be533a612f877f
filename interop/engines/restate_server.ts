/**
 * Starts the server of Restate for a test. The environment variable `RESTATE_SERVER` contains the path of the program,
 * which is not installed with the other packages because it has 220 MB.
 *
 * @module
 */

/** Path of the program. `undefined` skips the tests with Restate. */
export const RESTATE_SERVER: string | undefined = Deno.env.get("RESTATE_SERVER");

/** Command that installs the program, for the names of skipped tests. */
export const RESTATE_INSTALL =
  "npm install @restatedev/restate-server@1.7.12 and set RESTATE_SERVER to node_modules/@restatedev/restate-server-<platform>/bin/restate-server";

/** A server of Restate. */
export interface Restate extends AsyncDisposable {
  /** Base URL for calls of workflows. */
  readonly ingress: string;
  /** Registers the worker at a port of loopback. */
  register(port: number): Promise<void>;
}

/** Time in milliseconds in which the server must be ready. */
const START_TIMEOUT_MS = 60_000;

/** Starts a server with a temporary folder. */
export async function startRestate(program: string): Promise<Restate> {
  const dir = await Deno.makeTempDir({ prefix: "parley-restate-" });
  const [ingressPort, adminPort, nodePort] = [findFreePort(), findFreePort(), findFreePort()];
  const server = new Deno.Command(program, {
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
  }).spawn();
  const stop = async (): Promise<void> => {
    server.kill("SIGKILL");
    await server.status;
    await Deno.remove(dir, { recursive: true });
  };
  try {
    await waitUntilReady(`http://127.0.0.1:${adminPort}/health`);
    await waitUntilReady(`http://127.0.0.1:${ingressPort}/restate/health`);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    ingress: `http://127.0.0.1:${ingressPort}`,
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

/** Returns a free port of loopback. */
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
