import { assertEquals } from "@std/assert";
import { runCommand, serveWithToken } from "../testdata/command.ts";

const FORM = {
  message: "Your table\nat \u202e8",
  requestedSchema: {
    type: "object",
    properties: {
      guests: { type: "integer", title: "Guests", maximum: 8 },
      outside: { type: "boolean", default: false },
      menu: { enum: ["fish", "rice"], type: "string" },
      extras: { type: "array", items: { anyOf: [{ const: "tea" }, { const: "cake" }] } },
      mail: { type: "string", format: "email" },
      note: { type: "string" },
    },
    required: ["guests", "menu"],
  },
};

const TITLE = "parley-mcp: the server requests: Your table\\u{a}at \\u{202e}8";

async function book(lines?: readonly string[]) {
  await using server = serveWithToken([], (server) => {
    server.registerTool({ name: "book" }, async (_, { ask }) => {
      const form = { method: "elicitation/create" as const, params: FORM };
      return JSON.stringify(await ask("form", form));
    });
  });
  const call = ["call", server.url, "book", "--bearer-env", "TOKEN"];
  const { code, out, err } = await runCommand(call, lines === undefined ? {} : { lines });
  return { code, response: JSON.parse(out), err };
}

Deno.test("parley-mcp fills in a form on the terminal, and repeats invalid input", async () => {
  const lines = ["", "4.5", "x", "40", "4", "maybe", "", "meat", "rice", "milk", "tea, cake"];
  lines.push("ada", "a@b.example", "", "y");
  const { code, response, err } = await book(lines);
  assertEquals(code, 0);
  const content = {
    guests: 4,
    outside: false,
    menu: "rice",
    extras: ["tea", "cake"],
    mail: "a@b.example",
  };
  assertEquals(response, { action: "accept", content });
  assertEquals(
    err,
    `${TITLE}
  Guests (integer): 
  The value must not be empty.
  Guests (integer): 4.5
  The value must be an integer.
  Guests (integer): x
  The value must be a number.
  Guests (integer): 40
  The value must be at most 8.
  Guests (integer): 4
  outside (y/n; default: false): maybe
  The value must be a boolean.
  outside (y/n; default: false): 
  menu (fish | rice): meat
  The value must be one of the listed values.
  menu (fish | rice): rice
  extras (tea | cake, separated by commas; optional): milk
  The value must contain only listed values.
  extras (tea | cake, separated by commas; optional): tea, cake
  mail (string; optional): ada
  The value must have the format "email".
  mail (string; optional): a@b.example
  note (string; optional): 
  Send these values? [y/N] y
`,
  );
});

Deno.test("parley-mcp declines a form unless the user confirms it", async () => {
  const { response } = await book(["4", "yes", "fish", "", "", "", ""]);
  assertEquals(response, { action: "decline" });
});

Deno.test("parley-mcp cancels a form at the end of the input", async () => {
  assertEquals((await book(["4"])).response, { action: "cancel" });
});

Deno.test("parley-mcp declines a form without a terminal", async () => {
  const { code, response, err } = await book();
  assertEquals([code, response], [0, { action: "decline" }]);
  assertEquals(err, `${TITLE} (declined, because the command has no terminal)\n`);
});

for (const [line, action] of [["y", "accept"], ["", "decline"]] as const) {
  Deno.test(`parley-mcp prints a URL that the user must visit: ${action}`, async () => {
    await using server = serveWithToken([], (server) => {
      server.registerTool({ name: "pay" }, async (_, { ask }) => {
        const params = { mode: "url", message: "Pay", url: "https://pay.example/1" } as const;
        return JSON.stringify(await ask("url", { method: "elicitation/create", params }));
      });
    });
    const call = ["call", server.url, "pay", "--bearer-env", "TOKEN"];
    const { out, err } = await runCommand(call, { lines: [line] });
    assertEquals(JSON.parse(out), { action });
    const question = `  https://pay.example/1\n  Have you visited the URL? [y/N] ${line}\n`;
    assertEquals(err, `parley-mcp: the server requests: Pay\n${question}`);
  });
}
