import { assertEquals, assertRejects } from "@std/assert";
import { startOnFreePort } from "./net.ts";

Deno.test("startOnFreePort() starts a program on another port if its port is in use", async () => {
  const ports: number[] = [];
  const taken: Deno.Listener[] = [];
  using listener = await startOnFreePort((port) => {
    ports.push(port);
    // Another program takes the first port.
    if (ports.length === 1) taken.push(Deno.listen({ hostname: "127.0.0.1", port }));
    return Promise.resolve(Deno.listen({ hostname: "127.0.0.1", port }));
  });
  assertEquals(ports.length, 2);
  assertEquals(listener.addr, { transport: "tcp", hostname: "127.0.0.1", port: ports[1] ?? 0 });
  for (const other of taken) other.close();
});

for (
  const [text, starts] of [
    ["listen tcp 127.0.0.1:4222: bind: address already in use", 3],
    ["OSError: [Errno 98] Address already in use", 3],
    ["Error: listen EADDRINUSE: address already in use 127.0.0.1:80", 3],
    ["Cannot find module", 1],
  ] as const
) {
  Deno.test(`startOnFreePort() starts a program ${starts} times that reports: ${text}`, async () => {
    let count = 0;
    const start = () => {
      count++;
      return Promise.reject(new Error(text));
    };
    await assertRejects(() => startOnFreePort(start), Error, text);
    assertEquals(count, starts);
  });
}
