import { assertEquals, assertMatch } from "@std/assert";
import { TextLineStream } from "@std/streams/text-line-stream";

const PERMISSIONS = ["run", "--quiet", "--no-prompt", "--allow-net=127.0.0.1"];

function program(name: string): string {
  return new URL(name, import.meta.url).pathname;
}

/** Starts the responder. Returns the process and the responder's URL and DID. */
async function startResponder(): Promise<[Deno.ChildProcess, string, string]> {
  const child = new Deno.Command("deno", {
    args: [...PERMISSIONS, program("responder.ts")],
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).pipeThrough(new TextLineStream());
  const reader = lines.getReader();
  const { value = "" } = await reader.read();
  await reader.cancel();
  const [url = "", did = ""] = value.split(" ");
  return [child, url, did];
}

async function request(...args: string[]): Promise<{ code: number; out: string; error: string }> {
  const { code, stdout, stderr } = await new Deno.Command("deno", {
    args: [...PERMISSIONS, program("requester.ts"), ...args],
  }).output();
  const decoder = new TextDecoder();
  return { code, out: decoder.decode(stdout), error: decoder.decode(stderr) };
}

Deno.test("two processes negotiate and exchange signed messages over a WebSocket", async () => {
  const [responder, url, did] = await startResponder();
  try {
    const { code, out, error } = await request(url, did, "to be or not to be");
    assertEquals([code, error], [0, ""]);
    assertMatch(out, /^6 words, signed by did:key:z6Mk/);

    const otherDid = "did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw";
    const rejected = await request(url, otherDid, "to be or not to be");
    assertEquals([rejected.code, rejected.error], [
      1,
      "Cannot receive a message: the responder closed the connection\n",
    ]);
  } finally {
    responder.kill();
    await responder.status;
  }
});

Deno.test("the requester prints its usage, and an error if the responder is unreachable", async () => {
  assertEquals((await request("only")).code, 2);
  const { code, error } = await request("ws://127.0.0.1:1", "did:web:nobody.example", "text");
  assertEquals(code, 1);
  assertMatch(error, /^Cannot (send|receive) message: connection to ws:.+ was not opened: .+\n$/);
});
