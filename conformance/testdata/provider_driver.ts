/**
 * A driver whose operation `agent.run` sends requests to the provider of the case, and executes a
 * tool of the kit after the first one. With `model.open`, it returns the address of the provider.
 */

interface Message {
  readonly type: string;
  readonly seq: number;
  readonly op: string;
  readonly args: Readonly<Record<string, unknown>>;
}

const encoder = new TextEncoder();

function send(message: object): void {
  Deno.stdout.writeSync(encoder.encode(`${JSON.stringify(message)}\n`));
}

async function run({ baseUrl, requests }: Message["args"]): Promise<object> {
  const statuses: number[] = [];
  for (let count = 0; count < Number(requests); count++) {
    const response = await fetch(`${baseUrl}/messages`, {
      method: "POST",
      body: JSON.stringify({ count }),
    });
    await response.body?.cancel();
    statuses.push(response.status);
    if (count === 0) send({ type: "call", call: 1, fn: "tool.execute", args: { name: "add" } });
  }
  return { statuses };
}

async function take({ type, seq, op, args }: Message): Promise<void> {
  if (type === "bye") Deno.exit(0);
  if (type === "hello") {
    const implementation = { name: "provider driver", version: "1" };
    return send({ type, protocol: 1, implementation, ops: ["agent.run", "model.open"] });
  }
  if (type !== "op") return;
  if (op === "kit.sync") return send({ type: "result", seq, unsupported: { reason: "none" } });
  send({ type: "result", seq, ok: op === "model.open" ? args : await run(args) });
}

let rest = "";
for await (const chunk of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) void take(JSON.parse(line));
}
