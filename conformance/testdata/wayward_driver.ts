/**
 * A driver with one protocol violation, selected by its argument. The driver's only operation
 * returns its arguments.
 */

const encoder = new TextEncoder();
let [mode = "good"] = Deno.args;

function write(text: string): void {
  for (let bytes = encoder.encode(text); bytes.length > 0;) {
    bytes = bytes.subarray(Deno.stdout.writeSync(bytes));
  }
}

function send(message: object): void {
  write(`${JSON.stringify(message)}\n`);
}

function answer(seq: number, args: Record<string, unknown>): void {
  switch (args.trouble === true ? mode : "good") {
    case "crash":
      Deno.exit(7);
      break;
    case "hang":
      return;
    case "rubbish":
      write("loading model...\n");
      return send({ type: "result", seq, ok: args });
    case "flood":
      return flood();
    case "long-line":
      return write("x".repeat(9 * 1024 * 1024));
    case "twice":
      send({ type: "result", seq, ok: args });
      return send({ type: "result", seq, ok: args });
    case "stray":
      send({ type: "result", seq: seq + 1000, ok: {} });
      return send({ type: "result", seq, ok: args });
    case "fault":
      return send({ type: "result", seq, fault: { message: "boom" } });
    case "fault-once":
      mode = "good";
      return send({ type: "result", seq, fault: { message: "boom" } });
    case "refuse":
      return send({ type: "result", seq, error: { code: "odd", message: "no" } });
    case "unsupported":
      return send({ type: "result", seq, unsupported: { reason: "not in this library" } });
    case "no-kind":
      return send({ type: "result", seq });
    default:
      return send({ type: "result", seq, ok: args });
  }
}

function flood(): never {
  while (true) write("y\n".repeat(1000));
}

async function main(): Promise<void> {
  const lines = Deno.stdin.readable.pipeThrough(new TextDecoderStream());
  let rest = "";
  for await (const chunk of lines) {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop() ?? "";
    for (const line of parts) take(JSON.parse(line));
  }
}

function take(message: { type: string; seq: number; args: Record<string, unknown> }): void {
  if (message.type === "bye") Deno.exit(0);
  if (message.type === "op") answer(message.seq, message.args);
  if (message.type !== "hello") return;
  if (mode === "no-hello") return;
  if (mode === "exit-first") Deno.exit(7);
  if (mode === "banner") write("Welcome to my driver\n");
  send({
    type: "hello",
    protocol: mode === "wrong-protocol" ? 2 : 1,
    implementation: { name: `wayward ${mode}`, version: "1" },
    ops: ["comm.echo"],
    features: { speed: true, patience: false },
  });
}

await main();
