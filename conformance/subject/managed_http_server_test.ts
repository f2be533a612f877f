import { assertEquals } from "@std/assert";
import { startManagedHttpServer } from "./managed_http_server.ts";
import { watchProcessGroups } from "./process_groups.ts";

/** A server that sends its port, and listens if it receives 1. */
const PROGRAM = `
  const [asked, port] = Deno.args.map(Number);
  const connection = await Deno.connect({ hostname: "127.0.0.1", port: asked });
  await connection.write(new TextEncoder().encode(String(port)));
  const byte = new Uint8Array(1);
  await connection.read(byte);
  if (byte[0] !== 1) throw new Error("Address already in use (os error 98)");
  for await (const each of Deno.listen({ hostname: "127.0.0.1", port })) each.close();
`;

Deno.test("startManagedHttpServer() starts a server on another port if its port is in use", async () => {
  const ports: number[] = [];
  using coordinator = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const answering = (async () => {
    for (const byte of [0, 1]) {
      using connection = await coordinator.accept();
      const bytes = new Uint8Array(8);
      const length = await connection.read(bytes) ?? 0;
      ports.push(Number(new TextDecoder().decode(bytes.subarray(0, length))));
      await connection.write(new Uint8Array([byte]));
    }
  })();
  await using groups = await watchProcessGroups();
  const command = ["deno", "eval", PROGRAM, `${coordinator.addr.port}`, "{port}"];
  const url = "http://127.0.0.1:{port}/mcp";
  const server = await startManagedHttpServer({ command, url, startMs: 60_000 }, groups);
  await answering;
  assertEquals(server.url, `http://127.0.0.1:${ports[1]}/mcp`);
  await server.close();
});
