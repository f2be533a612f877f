import { assert, assertEquals } from "@std/assert";

/**
 * A client that runs before the example's client, sends invalid frames and closes the connection
 * with an error code.
 */
const ROGUE = `
for (const frames of [["x"], [new Uint8Array(3), "{}", "[[[["]]) {
  const rogue = new WebSocket(\`ws://127.0.0.1:\${server.addr.port}\`);
  await new Promise((resolve) => rogue.onopen = resolve);
  for (const frame of frames) rogue.send(frame);
  const closed = new Promise((resolve) => rogue.onclose = resolve);
  rogue.close(3000);
  await closed;
}
`;

/** Returns the documented example that contains the given string. */
async function readExample(file: string, text: string): Promise<string> {
  const source = await Deno.readTextFile(new URL(file, import.meta.url));
  const examples = source.split(" * ```ts\n").slice(1).map((part) =>
    part.slice(0, part.indexOf(" * ```\n")).replaceAll(/^ \* ?/gm, "")
  );
  const example = examples.find((each) => each.includes(text));
  assert(example !== undefined);
  return example;
}

Deno.test("the documented echo server survives invalid frames and failed connections", async () => {
  const example = await readExample("../transport/websocket.ts", "echo(socket)");
  const start = "const transport = webSocketTransport(new WebSocket(";
  const program = example.replace(start, `${ROGUE}${start}`);
  assert(program.length > example.length);
  const child = new Deno.Command("deno", {
    args: ["run", "--quiet", "--no-check", "--allow-net=127.0.0.1", "--allow-env", "-"],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(program));
  await writer.close();
  const { code, stderr } = await child.output();
  const text = new TextDecoder().decode(stderr);
  assertEquals(code, 0, text);
  assertEquals(text.match(/connection closed with code 3000/g)?.length, 2, text);
});
