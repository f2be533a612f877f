import { assertEquals, assertRejects } from "@std/assert";
import { McpError } from "../shared/error.ts";
import { StdioTransport } from "./stdio.ts";

const PING = { jsonrpc: "2.0", id: 1, method: "ping" } as const;

function scripted(...input: (string | null)[]): { transport: StdioTransport; written: string[] } {
  const written: string[] = [];
  const transport = new StdioTransport({
    reader: {
      readLine: () => {
        const line = input.shift();
        return line === undefined ? new Promise(() => {}) : Promise.resolve(line);
      },
    },
    writer: { writeLine: (line) => Promise.resolve(void written.push(line)) },
  });
  return { transport, written };
}

Deno.test("StdioTransport sends requests and receives responses in order", async () => {
  const { transport, written } = scripted(
    "not JSON",
    '{"jsonrpc":"2.0","method":"notifications/message"}',
    '{"jsonrpc":"2.0","id":1,"result":{}}',
    '{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no"}}',
  );
  await transport.send(PING);
  assertEquals(written, ['{"jsonrpc":"2.0","id":1,"method":"ping"}']);
  const [first, second] = await Promise.all([transport.receive(), transport.receive()]);
  assertEquals(first, { jsonrpc: "2.0", id: 1, result: {} });
  assertEquals(second.error?.code, -32601);
  await transport.close();
});

Deno.test("StdioTransport.receive() rejects at the end of the input", async () => {
  const { transport } = scripted(null);
  for (const _time of [1, 2]) {
    const error = await assertRejects(() => transport.receive(), McpError, "the input ended");
    assertEquals(error.code, "transport_error");
  }
});

Deno.test("StdioTransport rejects a pending receive() and all later calls after close()", async () => {
  const { transport, written } = scripted();
  const waiting = transport.receive();
  await transport.close();
  await transport.close();
  await assertRejects(() => waiting, McpError, "closed");
  await assertRejects(() => transport.send(PING), McpError, "closed");
  await assertRejects(() => transport.receive(), McpError, "closed");
  assertEquals(written, []);
});

Deno.test("StdioTransport.close() resolves for an unused transport", async () => {
  const transport = new StdioTransport();
  await transport[Symbol.asyncDispose]();
  await assertRejects(() => transport.send(PING), McpError, "closed");
});

Deno.test("StdioTransport.send() rejects an invalid id", async () => {
  const { transport } = scripted();
  await assertRejects(() => transport.send({ ...PING, id: null }), TypeError);
  await assertRejects(() => transport.send({ ...PING, id: 1.5 }), TypeError);
  await transport.close();
});
