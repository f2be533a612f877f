/**
 * Three processes of an MCP server behind a load balancer that sends each request to the next
 * process.
 *
 * @module
 */

import { freePort } from "../../conformance/platform/net.ts";
import type { ReplicaOptions } from "./mcp_replica.ts";

/** Options for all processes. */
export type ClusterOptions = Omit<ReplicaOptions, "name" | "port" | "replicas"> & {
  /** Whether session requests are forwarded to the process that holds the session. */
  readonly routes?: boolean;
  /** Whether each process has its own key for request state instead of a shared key. */
  readonly ownKeys?: boolean;
};

/** Processes and their load balancer. */
export interface Cluster extends AsyncDisposable {
  /** URL of the load balancer. */
  readonly url: string;
  /** URLs of the processes, ordered by process index. */
  readonly urls: readonly string[];
  /**
   * Sends all further requests to the given process or, if the argument is `undefined`, to each
   * process in turn.
   */
  pin(index: number | undefined): void;
  /** Lines that a process has printed. */
  printed(index: number): readonly string[];
  /** Kills a process with SIGKILL. The load balancer no longer uses the process. */
  kill(index: number): Promise<void>;
}

const NAMES = ["a", "b", "c"];
const PROGRAM = new URL("mcp_replica.ts", import.meta.url).pathname;
const CONFIG = new URL("../deno.json", import.meta.url).pathname;

/** Starts the processes and the load balancer. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { urls, processes } = await startReplicas(options);
  const isUp = NAMES.map(() => true);
  let pinned: number | undefined;
  let turn = 0;
  const next = (): string => {
    let index = pinned ?? turn++ % NAMES.length;
    for (let tries = 0; !isUp[index] && tries < NAMES.length; tries++) {
      index = (index + 1) % NAMES.length;
    }
    return urls[index] ?? "";
  };
  const balancer = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => forward(request, next()),
  );
  return {
    url: `http://127.0.0.1:${balancer.addr.port}/mcp`,
    urls,
    pin: (index) => void (pinned = index),
    printed: (index) => processes[index]?.printed ?? [],
    kill: async (index) => {
      isUp[index] = false;
      await processes[index]?.kill();
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(processes.map(({ kill }) => kill()));
      await balancer.shutdown();
    },
  };
}

/** Maximum number of attempts to start the processes. */
const MAX_STARTS = 3;

/**
 * Starts the processes. Selects other ports if another program has taken one of the free ports in
 * the meantime.
 */
async function startReplicas(
  { routes = false, ownKeys = false, key, ...rest }: ClusterOptions,
): Promise<{ readonly urls: readonly string[]; readonly processes: readonly ReplicaProcess[] }> {
  for (let starts = 1;; starts++) {
    const ports: number[] = [];
    for (const _ of NAMES) ports.push(await freePort());
    const urls = ports.map((port) => `http://127.0.0.1:${port}/mcp`);
    const replicas = Object.fromEntries(NAMES.map((name, index) => [name, urls[index] ?? ""]));
    const settled = await Promise.allSettled(NAMES.map((name, index) =>
      startReplica({
        ...rest,
        name,
        port: ports[index] ?? 0,
        ...(ownKeys || key === undefined ? {} : { key }),
        ...(routes ? { replicas } : {}),
      })
    ));
    const processes = settled.flatMap((each) => each.status === "fulfilled" ? [each.value] : []);
    const failed = settled.find((each) => each.status === "rejected");
    if (failed === undefined) return { urls, processes };
    await Promise.all(processes.map(({ kill }) => kill()));
    if (starts === MAX_STARTS || !String(failed.reason).includes("EADDRINUSE")) throw failed.reason;
  }
}

async function forward(request: Request, url: string): Promise<Response> {
  const headers = new Headers(request.headers);
  headers.delete("host");
  try {
    const body = request.body === null ? null : await request.arrayBuffer();
    const response = await fetch(url, { method: request.method, headers, body });
    return new Response(response.body, response);
  } catch {
    return new Response("Bad gateway", { status: 502 });
  }
}

interface ReplicaProcess {
  readonly printed: readonly string[];
  readonly kill: () => Promise<void>;
}

async function startReplica(options: ReplicaOptions): Promise<ReplicaProcess> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--quiet", "--config", CONFIG, PROGRAM],
    env: { REPLICA: JSON.stringify(options) },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const printed: string[] = [];
  const ready = Promise.withResolvers<void>();
  const read = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> => {
    let rest = "";
    for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
      const lines = `${rest}${chunk}`.split("\n");
      rest = lines.pop() ?? "";
      printed.push(...lines);
      if (lines.includes("ready")) ready.resolve();
    }
  };
  const reading = Promise.all([read(child.stdout), read(child.stderr)]).then(() =>
    ready.reject(new Error(`The replica has exited: ${printed.join("\n")}`))
  );
  ready.promise.catch(() => {});
  await ready.promise;
  return {
    printed,
    kill: async () => {
      try {
        child.kill("SIGKILL");
      } catch {
        // The process has exited.
      }
      await child.status;
      await reading;
    },
  };
}
