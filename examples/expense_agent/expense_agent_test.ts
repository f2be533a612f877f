import { assertEquals, assertStringIncludes } from "@std/assert";

const PROGRAM = new URL("main.ts", import.meta.url).pathname;
const TEMPORARY = Deno.env.get("TMPDIR") ?? "/tmp";

async function run(file: string, flag: string): Promise<{ code: number; out: string }> {
  const { code, stdout, stderr } = await new Deno.Command("deno", {
    args: [
      "run",
      "--quiet",
      "--no-prompt",
      `--allow-read=${file}`,
      `--allow-write=${file}`,
      PROGRAM,
      file,
      flag,
    ],
    env: { NO_COLOR: "1" },
  }).output();
  assertEquals(new TextDecoder().decode(stderr), "");
  return { code, out: new TextDecoder().decode(stdout) };
}

function createFileName(): string {
  return `${TEMPORARY}/parley-expense-${crypto.randomUUID()}.jsonl`;
}

Deno.test("the expense agent books after an approval", async () => {
  const { code, out } = await run(createFileName(), "--approve");
  assertEquals(code, 0);
  assertStringIncludes(out, 'Approval for book with {"merchant":"Kaffebar","euros":25}');
  assertStringIncludes(out, "Booked 25 euros at Kaffebar");
  assertStringIncludes(out, '{ merchant: "Kaffebar", euros: 25, bookingId: "B-1" }');
});

Deno.test("the expense agent books nothing after a denial", async () => {
  const { code, out } = await run(createFileName(), "--deny");
  assertEquals([code, out.includes("Booked")], [0, false]);
  assertStringIncludes(out, "bookingId: null");
});

Deno.test("the expense agent continues after its process has exited and books once", async () => {
  const file = createFileName();
  const first = await run(file, "--crash");
  assertEquals(first.code, 1);
  assertStringIncludes(first.out, "Booked 25 euros at Kaffebar");
  // The second process would deny the booking if it were asked.
  const second = await run(file, "--deny");
  assertEquals(second, {
    code: 0,
    out: '{ merchant: "Kaffebar", euros: 25, bookingId: "B-1" }\n',
  });
});
