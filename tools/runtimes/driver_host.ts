/**
 * Connects the kit to a driver in a worker or a page. The kit starts a relay, which connects to
 * this process over TCP, and the driver connects over a WebSocket. Lines are forwarded unchanged.
 *
 * @module
 */

import { TextLineStream } from "@std/streams/text-line-stream";
import { ROOT } from "../members.ts";

const LOCAL = { hostname: "127.0.0.1", port: 0 } as const;

/** A server that connects the kit's relays to drivers. */
export interface DriverHost {
  /** Command that the kit runs to start a driver. */
  readonly command: readonly string[];
  /** Closes the server. */
  close(): Promise<void>;
}

/**
 * Listens for relays and drivers.
 *
 * @param start Starts a driver that connects to the given URL, such as `ws://127.0.0.1:1234/1`.
 *   Resolves when the driver has finished, and rejects if the driver cannot be started.
 */
export function hostDriver(start: (address: string) => Promise<unknown>): DriverHost {
  const token = crypto.randomUUID();
  const calls = new Map<string, (socket: WebSocket) => void>();
  const web = Deno.serve({ ...LOCAL, onListen: () => {} }, (request) => {
    const take = calls.get(new URL(request.url).pathname);
    if (take === undefined) return new Response(null, { status: 404 });
    const { socket, response } = Deno.upgradeWebSocket(request);
    socket.addEventListener("open", () => take(socket), { once: true });
    return response;
  });
  /** Starts a driver and waits for its connection. */
  const call = (): Promise<WebSocket> =>
    new Promise((resolve, reject) => {
      const path = `/${crypto.randomUUID()}`;
      calls.set(path, resolve);
      start(`ws://127.0.0.1:${web.addr.port}${path}`)
        // After the driver has connected, a rejection has no effect, because the promise is already
        // settled.
        .catch(reject)
        .finally(() => calls.delete(path));
    });
  const relays = Deno.listen(LOCAL);
  const joining = new Set<Promise<void>>();
  const accept = async (): Promise<void> => {
    for await (const relay of relays) {
      const work = join(relay, { token, call }).finally(() => joining.delete(work));
      joining.add(work);
    }
  };
  const accepting = accept();
  const port = String(relays.addr.port);
  const kit = new URL("conformance/bin.ts", ROOT).pathname;
  return {
    command: [Deno.execPath(), "run", "-A", kit, "peer", "--port", port, "--token", token],
    close: async () => {
      relays.close();
      await accepting;
      await Promise.all(joining);
      await web.shutdown();
    },
  };
}

/** Forwards lines until either side disconnects. */
async function join(
  relay: Deno.TcpConn,
  { token, call }: { readonly token: string; readonly call: () => Promise<WebSocket> },
): Promise<void> {
  relay.setNoDelay(true);
  const writer = relay.writable.getWriter();
  const encoder = new TextEncoder();
  const lines = relay.readable
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new TextLineStream())
    .getReader();
  const write = (line: string): void => {
    // A write fails if the relay has disconnected, which is expected.
    writer.write(encoder.encode(`${line}\n`)).catch(() => {});
  };
  try {
    if ((await lines.read()).value !== token) return;
    const socket = await call();
    socket.addEventListener("message", ({ data }) => write(String(data)));
    socket.addEventListener("close", () => lines.cancel(), { once: true });
    for (let next = await lines.read(); !next.done; next = await lines.read()) {
      socket.send(next.value);
    }
    socket.close();
  } catch (error) {
    // The kit reports only that its driver has exited, so the reason is printed here.
    console.error(`driver: ${error instanceof Error ? error.message : error}`);
  } finally {
    await writer.close().catch(() => {});
  }
}
