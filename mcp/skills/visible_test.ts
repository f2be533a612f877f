import { assert, assertEquals, assertRejects } from "@std/assert";
import { createMemoryTransport, McpClient, McpError, McpServer, servePipe } from "../mod.ts";
import { mcpHandler, type Principal } from "../server.ts";
import { clientSkills, memorySkills, serverSkills } from "../skills.ts";
import type { JsonObject } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";
import { modern } from "../testdata/http.ts";

const ANN: Principal = { subject: "ann" };
const BOB: Principal = { subject: "bob" };

function skillFile(name: string): string {
  return `---\nname: ${name}\ndescription: The skill ${name}\n---\nDo it.\n`;
}

const FILES = {
  "pay/SKILL.md": skillFile("pay"),
  "pay/docs/limits.md": "At most 100 euros.",
  "team/read/SKILL.md": skillFile("read"),
  "team/read/more.md": "More.",
  "team/read/secret/SKILL.md": skillFile("secret"),
  "team/read/secret/key.md": "Key.",
};

/**
 * Returns a function that sends a request as a principal. Only Ann can see the skills `pay` and
 * `secret`.
 */
async function sendTo(): Promise<
  (principal: Principal | undefined, method: string, params?: JsonObject) => Promise<JsonObject>
> {
  const hidden = ["skill://pay/SKILL.md", "skill://team/read/secret/SKILL.md"];
  const server = new McpServer({
    name: "s",
    version: "1",
    extensions: [await serverSkills({ files: memorySkills(FILES), pageSize: 1 })],
    visible: ({ name }, principal) => !hidden.includes(name) || principal?.subject === "ann",
  });
  const handler = mcpHandler(server);
  return async (principal, method, params = {}) => {
    const context = principal === undefined ? {} : { principal };
    const message: unknown = await (await handler(modern(method, params), context)).json();
    assert(isRecord(message));
    if (isRecord(message.result)) return message.result;
    assert(isRecord(message.error));
    return message.error;
  };
}

type Send = Awaited<ReturnType<typeof sendTo>>;

/** Returns the URIs in all pages of a list. */
async function urisIn(
  send: Send,
  principal: Principal | undefined,
  method: string,
  key: string,
  params: JsonObject = {},
): Promise<unknown[]> {
  const uris: unknown[] = [];
  let cursor: unknown;
  do {
    const page = await send(
      principal,
      method,
      cursor === undefined ? params : { ...params, cursor },
    );
    const items = page[key];
    if (!Array.isArray(items)) return [page.code];
    for (const { uri } of items) uris.push(uri);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return uris;
}

const PAY = "skill://pay/SKILL.md";
const READ = "skill://team/read/SKILL.md";
const SECRET = "skill://team/read/secret/SKILL.md";

Deno.test("skills/list and resources/list contain only the skills that the principal can see", async () => {
  const send = await sendTo();
  for (
    const [method, key] of [["skills/list", "skills"], ["resources/list", "resources"]] as const
  ) {
    assertEquals(await urisIn(send, ANN, method, key), [PAY, READ, SECRET]);
    assertEquals(await urisIn(send, BOB, method, key), [READ]);
    assertEquals(await urisIn(send, undefined, method, key), [READ]);
  }
  const { code } = await send(BOB, "skills/list", { cursor: PAY });
  assertEquals(code, -32602);
});

Deno.test("skills/get treats a hidden skill like an unknown skill", async () => {
  const send = await sendTo();
  const { skill } = await send(ANN, "skills/get", { uri: PAY });
  assert(isRecord(skill));
  assertEquals(skill.uri, PAY);
  assertEquals(await send(BOB, "skills/get", { uri: PAY }), {
    code: -32602,
    message: `Skill not found: "${PAY}"`,
    data: { uri: PAY },
  });
});

Deno.test("resources/read treats each file of a hidden skill like an unknown resource", async () => {
  const send = await sendTo();
  const files = [PAY, "skill://pay/docs/limits.md", SECRET, "skill://team/read/secret/key.md"];
  for (const uri of files) {
    assert("contents" in await send(ANN, "resources/read", { uri }), uri);
    for (const principal of [BOB, undefined]) {
      assertEquals(await send(principal, "resources/read", { uri }), {
        code: -32602,
        message: `Resource not found: "${uri}"`,
        data: { uri },
      });
    }
  }
  for (const uri of [READ, "skill://team/read/more.md"]) {
    assert("contents" in await send(BOB, "resources/read", { uri }), uri);
  }
});

Deno.test("resources/directory/read contains no file of a hidden skill, and no folder that is then empty", async () => {
  const send = await sendTo();
  const list = (principal: Principal | undefined, uri: string) =>
    urisIn(send, principal, "resources/directory/read", "resources", { uri });
  const read = "skill://team/read";
  assertEquals(await list(ANN, read), [READ, `${read}/more.md`, `${read}/secret`]);
  assertEquals(await list(BOB, read), [READ, `${read}/more.md`]);
  assertEquals(await list(ANN, `${read}/secret`), [SECRET, `${read}/secret/key.md`]);
  for (const uri of [`${read}/secret`, "skill://pay", "skill://pay/docs"]) {
    assertEquals(await list(BOB, uri), [-32602], uri);
  }
});

Deno.test("a client cannot read the files of a hidden skill through the skill that contains it", async () => {
  const extension = await serverSkills({ files: memorySkills(FILES) });
  const server = new McpServer({
    name: "s",
    version: "1",
    extensions: [extension],
    visible: ({ name }) => name !== SECRET,
  });
  const transport = createMemoryTransport((pipe) => servePipe(server, pipe));
  await using client = new McpClient({ transport });
  await client.connect();
  const skills = clientSkills(client);
  const entry = await skills.get(READ);
  assert(entry.resources !== "dynamic");
  assertEquals(entry.resources.map(({ uri }) => uri), [READ, "skill://team/read/more.md"]);
  assertEquals((await skills.read(entry, "more.md")).text, "More.");
  for (const path of ["secret/SKILL.md", "secret/key.md"]) {
    const error = await assertRejects(() => skills.read(entry, path), McpError);
    assertEquals(error.code, "protocol_error");
  }
});

/** Returns the URIs of the updates that a principal's subscription stream receives. */
function updatesOf(
  server: McpServer,
  uris: readonly string[],
  principal: Principal,
): { readonly uris: string[]; readonly opened: Promise<void>; readonly stop: () => void } {
  const updates: string[] = [];
  const opened = Promise.withResolvers<void>();
  const controller = new AbortController();
  const params = { notifications: { resourceSubscriptions: uris } };
  server.exchange({ jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params }, {
    client: { protocolVersion: "2026-07-28", capabilities: {} },
    signal: controller.signal,
    principal,
    emit: ({ params: sent = {} }) => {
      if (typeof sent.uri === "string") updates.push(sent.uri);
      else opened.resolve();
      return Promise.resolve(true);
    },
  }).catch(() => {});
  return { uris: updates, opened: opened.promise, stop: () => controller.abort() };
}

Deno.test("reload() sends updates only for the files of skills that the principal can see", async () => {
  const source: Record<string, string> = { ...FILES, "pay/old.md": "", "team/read/old.md": "" };
  const encoder = new TextEncoder();
  const extension = await serverSkills({
    files: {
      list: () => Promise.resolve(Object.keys(source)),
      read: (path) => Promise.resolve(encoder.encode(source[path])),
    },
  });
  const server = new McpServer({
    name: "s",
    version: "1",
    extensions: [extension],
    visible: ({ name }, principal) => name !== PAY && name !== SECRET || principal === ANN,
  });
  const all = [...Object.keys(source), "pay/none.md"].map((path) => `skill://${path}`);
  const [ann, bob] = [updatesOf(server, all, ANN), updatesOf(server, all, BOB)];
  await Promise.all([ann.opened, bob.opened]);
  for (const path of Object.keys(source)) source[path] += "\n";
  delete source["pay/old.md"];
  delete source["team/read/old.md"];
  await extension.reload();
  while (ann.uris.length < Object.keys(FILES).length + 2) await Promise.resolve();
  const visible = ["read/SKILL.md", "read/more.md", "read/old.md"].map((path) =>
    `skill://team/${path}`
  );
  assertEquals(ann.uris.toSorted(), all.filter((uri) => !uri.endsWith("none.md")).toSorted());
  assertEquals(bob.uris.toSorted(), visible);
  // In a process that has removed the files already, changes from other processes arrive later.
  for (const uri of all) server.resourceUpdated(uri);
  while (ann.uris.length < 2 * Object.keys(FILES).length + 2) await Promise.resolve();
  assertEquals(bob.uris.toSorted(), [...visible, ...visible.slice(0, 2)].toSorted());
  // The hidden skill is removed.
  for (const path of Object.keys(source)) if (path.startsWith("pay/")) delete source[path];
  await extension.reload();
  await Promise.resolve();
  assertEquals(bob.uris.filter((uri) => uri.startsWith("skill://pay")), []);
  for (const { stop } of [ann, bob]) stop();
});

Deno.test("the entry of a visible skill does not list the files of a hidden skill in it", async () => {
  const send = await sendTo();
  const filesOf = (entry: unknown): unknown[] => {
    assert(isRecord(entry) && Array.isArray(entry.resources));
    return entry.resources.map(({ uri }) => uri);
  };
  const own = [READ, "skill://team/read/more.md"];
  const { skill } = await send(BOB, "skills/get", { uri: READ });
  assertEquals(filesOf(skill), own);
  const { skills } = await send(BOB, "skills/list");
  assert(Array.isArray(skills));
  assertEquals(filesOf(skills[0]), own);
  assertEquals(filesOf((await send(ANN, "skills/get", { uri: READ })).skill).length, 4);
});

/** Changes of a source after which the hidden skill in a visible skill is no longer valid. */
const CHANGES: Readonly<Record<string, (files: Record<string, string>) => void>> = {
  "is not valid": (files) => files["team/read/secret/SKILL.md"] = "being edited",
  "has no frontmatter that is allowed": (files) =>
    files["team/read/secret/SKILL.md"] =
      "---\nname: secret\ndescription: d\nmetadata: { n: 1 }\n---\n",
  "is deleted": (files) => delete files["team/read/secret/SKILL.md"],
  "is deleted and its folder was empty for a while": (files) => {
    delete files["team/read/secret/SKILL.md"];
    delete files["team/read/secret/key.md"];
  },
};

for (const [change, apply] of Object.entries(CHANGES)) {
  Deno.test(`the files of a hidden skill stay hidden if its SKILL.md ${change}`, async () => {
    const source: Record<string, string> = { ...FILES };
    const skills = await serverSkills({
      files: {
        list: () => Promise.resolve(Object.keys(source)),
        read: (path) => Promise.resolve(new TextEncoder().encode(source[path])),
      },
      onError: () => {},
    });
    const server = new McpServer({
      name: "s",
      version: "1",
      extensions: [skills],
      visible: ({ name }, principal) => name !== SECRET || principal?.subject === "ann",
    });
    const handler = mcpHandler(server);
    const send = async (principal: Principal, method: string, params: JsonObject) => {
      const response = await handler(modern(method, params), { principal });
      return JSON.stringify(await response.json());
    };
    apply(source);
    await skills.reload();
    source["team/read/secret/key.md"] = "Key.";
    await skills.reload();
    for (const path of ["key.md", "SKILL.md"]) {
      const uri = `skill://team/read/secret/${path}`;
      const response = await send(BOB, "resources/read", { uri });
      assert(response.includes("Resource not found"), response);
      assert(!server.canSeeResource(uri, BOB), uri);
    }
    const key = { uri: "skill://team/read/secret/key.md" };
    assert((await send(ANN, "resources/read", key)).includes("Key."));
    assert(!(await send(BOB, "skills/get", { uri: READ })).includes("secret"));
    const folder = await send(BOB, "resources/directory/read", { uri: "skill://team/read" });
    assert(!folder.includes("secret"), folder);
    assert((await send(BOB, "resources/read", { uri: READ })).includes("contents"));
    await handler.close();
  });
}

Deno.test("no request reveals a skill if visible throws", async () => {
  const files = memorySkills(FILES);
  const server = new McpServer({
    name: "s",
    version: "1",
    extensions: [await serverSkills({ files })],
    onError: () => {},
    visible: () => {
      throw new Error("no policy");
    },
  });
  const handler = mcpHandler(server);
  const requests: readonly (readonly [string, JsonObject])[] = [
    ["skills/list", {}],
    ["skills/get", { uri: PAY }],
    ["resources/list", {}],
    ["resources/read", { uri: PAY }],
    ["resources/read", { uri: "skill://pay/docs/limits.md" }],
    ["resources/directory/read", { uri: "skill://pay" }],
  ];
  for (const [method, params] of requests) {
    const message: unknown = await (await handler(modern(method, params), { principal: ANN }))
      .json();
    assert(isRecord(message) && isRecord(message.error), method);
    assertEquals([message.error.code, message.result], [-32603, undefined], method);
  }
  await handler.close();
});
