import { assertEquals, assertRejects } from "@std/assert";
import { CommError } from "../shared/error.ts";
import { createMessage } from "../testdata/messages.ts";
import { NoopTransport } from "./noop.ts";

const MESSAGE = createMessage(1);

Deno.test("NoopTransport discards messages and receives none", async () => {
  const transport = new NoopTransport();
  await transport.send(MESSAGE);
  assertEquals(await transport.receive(), undefined);
  for await (const _message of transport) throw new Error("received");
});

Deno.test("NoopTransport rejects send() after close(), and can be closed again", async () => {
  const transport = new NoopTransport();
  {
    await using _end = transport;
  }
  await transport.close();
  const error = await assertRejects(() => transport.send(MESSAGE), CommError);
  assertEquals(error.code, "transport_closed");
  assertEquals(await transport.receive(), undefined);
});

Deno.test("NoopTransport rejects if the signal is aborted", async () => {
  const transport = new NoopTransport();
  const signal = AbortSignal.abort(new Error("enough"));
  await assertRejects(() => transport.send(MESSAGE, { signal }), Error, "enough");
  await assertRejects(() => transport.receive({ signal }), Error, "enough");
});
