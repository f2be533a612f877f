import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import {
  createMemoryTransport,
  McpClient,
  McpError,
  McpServer,
  type RequestOptions,
  servePipe,
} from "../mod.ts";
import type { ServerEra } from "../client/server_era.ts";
import type { JsonObject } from "../shared/json.ts";
import {
  type ClientSkills,
  clientSkills,
  memorySkills,
  type ServerSkills,
  serverSkills,
  type ServerSkillsOptions,
  type SkillEntry,
} from "../skills.ts";
import { digestOf } from "./skill_entry.ts";

const BYTES = new Uint8Array([0xff, 0x00, 0xfe]);

function skillFile(name: string, more = ""): string {
  return `---\nname: ${name}\ndescription: The skill ${name}\n${more}---\nDo it.\n`;
}

/** Three skills, one of them nested in another. */
function sampleFiles(): Record<string, string | Uint8Array> {
  return {
    "README.md": "Not a file of a skill.",
    "pdf/SKILL.md": skillFile("pdf", "license: MIT\ntags: [a, 1]\nmetadata: { version: '1.0' }\n"),
    "pdf/docs/My form ü.md": "\uFEFFFill it in.",
    "pdf/docs/deep/logo.bin": BYTES,
    "pdf/inner/SKILL.md": skillFile("inner"),
    "zip/SKILL.md": skillFile("zip"),
  };
}

function sizeOf(content: string | Uint8Array | undefined): number | undefined {
  return typeof content === "string" ? new TextEncoder().encode(content).length : content?.length;
}

interface Setup extends AsyncDisposable {
  readonly server: McpServer;
  readonly client: McpClient;
  readonly extension: ServerSkills;
  readonly skills: ClientSkills;
}

async function setUp(
  files: Record<string, string | Uint8Array>,
  options: Partial<ServerSkillsOptions> = {},
  era: ServerEra = "modern",
): Promise<Setup> {
  const extension = await serverSkills({ files: memorySkills(files), ...options });
  const server = new McpServer({ name: "s", version: "1", extensions: [extension], onError });
  const transport = createMemoryTransport((pipe) => servePipe(server, pipe));
  const client = new McpClient({ transport, era, onError });
  await client.connect();
  const skills = clientSkills(client, { onError });
  return { server, client, extension, skills, [Symbol.asyncDispose]: () => client.disconnect() };
}

function onError(error: unknown): void {
  throw error;
}

/**
 * A client of a server that returns fixed results for `skills/list`, `skills/get` and
 * `resources/read`.
 */
async function clientOf(results: {
  readonly list?: (params: JsonObject) => JsonObject;
  readonly get?: JsonObject;
  readonly text?: string;
}): Promise<{ readonly client: McpClient; readonly reads: string[] } & AsyncDisposable> {
  const reads: string[] = [];
  const server = new McpServer({
    name: "s",
    version: "1",
    extensions: [{
      id: "io.modelcontextprotocol/skills",
      open: true,
      methods: {
        "skills/list": (params) => results.list?.(params) ?? { skills: [] },
        "skills/get": () => results.get ?? {},
      },
    }],
  });
  server.registerResourceTemplate({ uriTemplate: "skill://{+path}", name: "files" }, (uri) => {
    reads.push(uri);
    return results.text;
  });
  const transport = createMemoryTransport((pipe) => servePipe(server, pipe));
  const client = new McpClient({ transport });
  await client.connect();
  return { client, reads, [Symbol.asyncDispose]: () => client.disconnect() };
}

async function entryOf(name: string, text: string): Promise<SkillEntry> {
  const uri = `skill://${name}/SKILL.md`;
  const bytes = new TextEncoder().encode(text);
  return {
    uri,
    frontmatter: { name, description: `The skill ${name}` },
    resources: [{ uri, digest: await digestOf(bytes), size: bytes.length }],
  };
}

for (const era of ["modern", "legacy"] as const) {
  Deno.test(`a client lists, gets and reads the skills of a server (${era})`, async () => {
    const files = sampleFiles();
    await using it = await setUp(files, { prefix: "acme/docs", pageSize: 1 }, era);
    const { client, skills } = it;
    assertEquals(skills.supported, true);
    const list = await skills.list();
    const root = "skill://acme/docs";
    assertEquals(list.map(({ uri }) => uri), [
      `${root}/pdf/SKILL.md`,
      `${root}/pdf/inner/SKILL.md`,
      `${root}/zip/SKILL.md`,
    ]);
    const [pdf] = list;
    assert(pdf !== undefined && pdf.resources !== "dynamic");
    assertEquals(pdf.frontmatter, {
      name: "pdf",
      description: "The skill pdf",
      license: "MIT",
      tags: ["a", 1],
      metadata: { version: "1.0" },
    });
    const [main, form, logo, inner] = [
      "pdf/SKILL.md",
      "pdf/docs/My form ü.md",
      "pdf/docs/deep/logo.bin",
      "pdf/inner/SKILL.md",
    ].map((path) => sizeOf(files[path]));
    assertEquals(pdf.resources.map(({ uri, size }) => [uri, size]), [
      [`${root}/pdf/SKILL.md`, main],
      [`${root}/pdf/docs/My%20form%20%C3%BC.md`, form],
      [`${root}/pdf/docs/deep/logo.bin`, logo],
      [`${root}/pdf/inner/SKILL.md`, inner],
    ]);
    assertEquals(await skills.get(pdf.uri), pdf);

    const read = await skills.read(pdf);
    assertEquals([read.text, read.mimeType, read.verified], [
      files["pdf/SKILL.md"],
      "text/markdown",
      true,
    ]);
    const text = await skills.read(pdf, "docs/My form ü.md");
    assertEquals([text.text, text.bytes.length], [files["pdf/docs/My form ü.md"], form]);
    const blob = await skills.read(pdf, "docs/deep/logo.bin");
    assertEquals([blob.bytes, blob.text, blob.mimeType], [
      BYTES,
      undefined,
      "application/octet-stream",
    ]);

    const resources = await client.listResources();
    assertEquals(resources[0], {
      uri: pdf.uri,
      name: "pdf",
      description: "The skill pdf",
      mimeType: "text/markdown",
    });
    assertEquals(resources.length, 3);
  });
}

Deno.test("resources/directory/read lists the files and folders in a folder", async () => {
  await using it = await setUp(sampleFiles(), { prefix: "acme", pageSize: 2 });
  const { client } = it;
  const read = async (uri: string): Promise<unknown[]> => {
    const names: unknown[] = [];
    let cursor: unknown;
    do {
      const params = cursor === undefined ? { uri } : { uri, cursor };
      const page = await client.request("resources/directory/read", params);
      assert(Array.isArray(page.resources) && page.resources.length <= 2);
      for (const { uri, name, mimeType } of page.resources) names.push([uri, name, mimeType]);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return names;
  };
  const folder = "inode/directory";
  assertEquals(await read("skill://acme"), [
    ["skill://acme/pdf", "pdf", folder],
    ["skill://acme/zip", "zip", folder],
  ]);
  assertEquals(await read("skill://acme/pdf"), [
    ["skill://acme/pdf/SKILL.md", "SKILL.md", "text/markdown"],
    ["skill://acme/pdf/docs", "docs", folder],
    ["skill://acme/pdf/inner", "inner", folder],
  ]);
  assertEquals(await read("skill://acme/pdf/docs"), [
    ["skill://acme/pdf/docs/My%20form%20%C3%BC.md", "My form ü.md", "text/markdown"],
    ["skill://acme/pdf/docs/deep", "deep", folder],
  ]);
  for (const uri of ["skill://acme/", "skill://acme/none", "skill://acme/pdf/SKILL.md"]) {
    const error = await assertRejects(() => read(uri), McpError);
    assertEquals([uri, error.rpcCode], [uri, -32602]);
  }
});

Deno.test("unknown skills, files and cursors are invalid parameters", async () => {
  await using it = await setUp(sampleFiles());
  for (
    const [method, params] of [
      ["skills/get", { uri: "skill://none/SKILL.md" }],
      ["skills/get", { uri: "skill://pdf/docs/deep/logo.bin" }],
      ["skills/get", {}],
      ["skills/list", { cursor: "skill://none/SKILL.md" }],
      ["resources/read", { uri: "skill://pdf/none.md" }],
      ["resources/read", { uri: "skill://README.md" }],
    ] as const
  ) {
    const error = await assertRejects(() => it.client.request(method, params), McpError);
    assertEquals([method, params, error.rpcCode], [method, params, -32602]);
  }
});

Deno.test("a skill that is not valid is reported and left out, and the others are served", async () => {
  const rows: readonly (readonly [string, Record<string, string | Uint8Array>, string])[] = [
    ["no frontmatter", { "bad/SKILL.md": "Do it." }, 'between two "---" lines'],
    ["open frontmatter", { "bad/SKILL.md": "---\nname: bad\n" }, 'between two "---" lines'],
    ["broken YAML", { "bad/SKILL.md": "---\nname: [\n---\n" }, "not valid YAML"],
    ["duplicate key", { "bad/SKILL.md": "---\nname: bad\nname: bad\n---\n" }, "not valid YAML"],
    ["no description", { "bad/SKILL.md": "---\nname: bad\n---\n" }, '"description"'],
    ["a list", { "bad/SKILL.md": "---\n- name\n---\n" }, '"description"'],
    ["metadata", { "bad/SKILL.md": skillFile("bad", "metadata: { version: 1 }\n") }, '"metadata"'],
    ["infinity", { "bad/SKILL.md": skillFile("bad", "x: .inf\n") }, "x"],
    ["deep YAML", { "bad/SKILL.md": skillFile("bad", `x: ${"[".repeat(60)}\n`) }, "not valid YAML"],
    [
      "many aliases",
      { "bad/SKILL.md": skillFile("bad", `a: &a [1]\nb: [${"*a,".repeat(20)}]\n`) },
      "not valid YAML",
    ],
    [
      "long frontmatter",
      { "bad/SKILL.md": skillFile("bad", `x: ${"y".repeat(70_000)}\n`) },
      "65536",
    ],
    ["another name", { "bad/SKILL.md": skillFile("good") }, 'must be named "good"'],
    ["an invalid name", { "Bad/SKILL.md": skillFile("Bad") }, "not a valid skill name"],
    ["not text", { "bad/SKILL.md": BYTES }, "UTF-8"],
    ["no folder", { "SKILL.md": skillFile("bad") }, "must be in a folder"],
    [
      'a path with a ".." segment',
      { "bad/SKILL.md": skillFile("bad"), "bad/../x": "" },
      "relative path",
    ],
    ["a lone surrogate", { "bad/SKILL.md": skillFile("bad"), "bad/\ud800": "" }, "relative path"],
    ["a long path", { "bad/SKILL.md": skillFile("bad"), [`bad/${"x".repeat(1024)}`]: "" }, "1024"],
    [
      "too many files",
      { "bad/SKILL.md": skillFile("bad"), "bad/1": "", "bad/2": "", "bad/3": "" },
      '"maxFiles" (3)',
    ],
    [
      "too many bytes",
      { "bad/SKILL.md": skillFile("bad"), "bad/1": new Uint8Array(100_000) },
      '"maxBytes" (100000)',
    ],
  ];
  for (const [name, files, reason] of rows) {
    const errors: unknown[] = [];
    const { entries } = await serverSkills({
      files: memorySkills({ ...files, "fine/SKILL.md": skillFile("fine") }),
      maxFiles: 3,
      maxBytes: 100_000,
      onError: (error) => errors.push(error),
    });
    assertEquals([name, entries.map(({ uri }) => uri)], [name, ["skill://fine/SKILL.md"]]);
    assertEquals([name, errors.length], [name, 1]);
    assert(String(errors[0]).includes(reason), `${name}: ${errors[0]}`);
  }
});

Deno.test("a file that is not a valid SKILL.md is served as a file of the enclosing skill", async () => {
  const errors: unknown[] = [];
  const { entries } = await serverSkills({
    files: memorySkills({ "a/SKILL.md": skillFile("a"), "a/templates/SKILL.md": "Fill me in." }),
    onError: (error) => errors.push(error),
  });
  assertEquals(entries.map(({ resources }) => resources.length), [2]);
  assertEquals(errors.length, 1);
});

Deno.test("serverSkills() rejects a source with 10,001 files, and reload() then keeps the previous skills", async () => {
  const many = Object.fromEntries(
    Array.from({ length: 10_001 }, (_, index) => [`many/${index}.md`, ""]),
  );
  const error = await assertRejects(() => serverSkills({ files: memorySkills(many) }), McpError);
  assertEquals(error.code, "core");
  assert(error.message.includes('10001 files, more than "maxTotalFiles" (10000)'));

  const files: Record<string, string | Uint8Array> = { "a/SKILL.md": skillFile("a") };
  const skills = await serverSkills({ files: memorySkills(files), maxTotalFiles: 1 });
  files["b/SKILL.md"] = skillFile("b");
  await assertRejects(() => skills.reload(), McpError);
  assertEquals(skills.entries.map(({ uri }) => uri), ["skill://a/SKILL.md"]);
  delete files["a/SKILL.md"];
  await skills.reload();
  assertEquals(skills.entries.map(({ uri }) => uri), ["skill://b/SKILL.md"]);
});

Deno.test("reload() serves added and changed skills, and notifies clients", async () => {
  const files = sampleFiles();
  await using it = await setUp(files);
  const { client, extension, skills } = it;
  const [before] = await skills.list();
  assert(before !== undefined);
  const changes: unknown[] = [];
  const all = Promise.withResolvers<void>();
  const filter = { resourcesListChanged: true, resourceSubscriptions: [before.uri] };
  const subscription = await client.listen(filter);
  const watching = (async () => {
    for await (const { method } of subscription) {
      changes.push(method);
      if (new Set(changes).size === 2) all.resolve();
    }
  })();
  files["pdf/SKILL.md"] = "---\nname: pdf\ndescription: New\n---\n";
  files["new/SKILL.md"] = skillFile("new");
  delete files["zip/SKILL.md"];
  await Promise.all([extension.reload(), extension.reload()]);
  await all.promise;
  await subscription.close();
  await watching;
  assertEquals(
    new Set(changes),
    new Set(["notifications/resources/list_changed", "notifications/resources/updated"]),
  );
  const listed = (await client.listResources()).map(({ uri, description }) => [uri, description]);
  assertEquals(listed.toSorted(), [
    ["skill://new/SKILL.md", "The skill new"],
    ["skill://pdf/SKILL.md", "New"],
    ["skill://pdf/inner/SKILL.md", "The skill inner"],
  ]);
  const error = await assertRejects(() => skills.read(before), McpError);
  assert(error.message.includes("does not match its skill's entry"));
  assertEquals((await skills.read(await skills.get(before.uri))).text, files["pdf/SKILL.md"]);
});

Deno.test("a file that has changed since it was loaded is not served, and the error is reported", async () => {
  const files = sampleFiles();
  const extension = await serverSkills({ files: memorySkills(files) });
  const errors: unknown[] = [];
  const server = new McpServer({
    name: "s",
    version: "1",
    extensions: [extension],
    onError: (error) => errors.push(error),
  });
  const read = (): Promise<JsonObject> =>
    server.handleRequest({
      jsonrpc: "2.0",
      id: 1,
      method: "resources/read",
      params: { uri: "skill://zip/SKILL.md" },
    }).then(({ error, result }) => ({ code: error?.code, ok: result !== undefined }));
  assertEquals(await read(), { code: undefined, ok: true });
  files["zip/SKILL.md"] = skillFile("zip", "license: MIT\n");
  assertEquals(await read(), { code: -32603, ok: false });
  delete files["zip/SKILL.md"];
  assertEquals(await read(), { code: -32603, ok: false });
  assertEquals(errors.length, 2);
  assert(String(errors[0]).includes("call reload()"));
});

Deno.test("list() leaves out entries that are not valid and repeated URIs, and reads no file", async () => {
  const good = await entryOf("good", skillFile("good"));
  const twice = await entryOf("twice", skillFile("twice"));
  const [file] = good.resources;
  assert(typeof file === "object");
  const more = { ...file, uri: "skill://good/x" };
  const bad: readonly unknown[] = [
    null,
    {},
    { ...good, uri: "SKILL.md" },
    { ...good, uri: "skill://good/skill.md" },
    { ...good, uri: "skill://other/SKILL.md" },
    { ...good, frontmatter: { name: "good" } },
    { ...good, frontmatter: { name: "good", description: " " } },
    { ...good, frontmatter: { name: "Good", description: "x" }, uri: "skill://Good/SKILL.md" },
    { ...good, resources: undefined },
    { ...good, resources: "static" },
    { ...good, resources: [] },
    { ...good, resources: [more] },
    { ...good, resources: [file, file] },
    { ...good, resources: [file, more, { ...more, uri: "skill://good/%78" }] },
    { ...good, resources: [file, { ...more, uri: "skill://goodness/x" }] },
    { ...good, resources: [file, { ...more, uri: "skill://good/../x" }] },
    { ...good, resources: [file, { ...more, uri: "skill://good/%2e%2e/x" }] },
    { ...good, resources: [file, { ...more, uri: "skill://good/a%2Fb" }] },
    { ...good, resources: [file, { ...more, uri: "skill://good/%" }] },
    { ...good, resources: [file, { ...more, uri: "skill://good/x?y" }] },
    { ...good, resources: [{ ...file, digest: file.digest.toUpperCase() }] },
    { ...good, resources: [{ ...file, digest: file.digest.slice(7) }] },
    { ...good, resources: [{ ...file, size: -1 }] },
    { ...good, resources: [{ ...file, size: 1.5 }] },
    { ...good, resources: [{ ...file, size: 2 ** 24 }, more] },
    { ...good, resources: Array.from({ length: 513 }, (_, i) => ({ ...file, uri: `x${i}` })) },
  ];
  for (const [index, entry] of bad.entries()) {
    const skills = [entry, twice, twice, await entryOf("fine", skillFile("fine"))];
    await using it = await clientOf({ list: () => ({ skills }) });
    const errors: unknown[] = [];
    const list = await clientSkills(it.client, { onError: (error) => errors.push(error) }).list();
    assertEquals([index, list.map(({ uri }) => uri)], [index, ["skill://fine/SKILL.md"]]);
    assertEquals([index, errors.length, it.reads], [index, 3, []]);
  }
});

Deno.test("a list that is too long, endless or not a list is a protocol error", async () => {
  const entry = await entryOf("a", skillFile("a"));
  for (
    const [list, reason] of [
      [() => ({ skills: [entry, entry] }), '"maxSkills" (1)'],
      [() => ({ skills: [], nextCursor: "again" }), "1000 pages"],
      [() => ({ skills: [], nextCursor: 5 }), '"nextCursor" must be a string'],
      [() => ({ skills: [], nextCursor: {} }), '"nextCursor" must be a string'],
      [() => ({ skills: {} }), 'no "skills" array'],
      [() => ({ skills: ["x".repeat(5000)] }), '"maxListChars" (5000)'],
    ] as const
  ) {
    await using it = await clientOf({ list });
    const skills = clientSkills(it.client, { maxSkills: 1, maxListChars: 5000 });
    const error = await assertRejects(() => skills.list(), McpError);
    assertEquals([reason, error.code], [reason, "protocol_error"]);
    assert(error.message.includes(reason), error.message);
  }
});

Deno.test("get() rejects an invalid entry and an entry of another skill", async () => {
  const other = await entryOf("other", skillFile("other"));
  for (const get of [{}, { skill: { ...other, resources: [] } }, { skill: other }]) {
    await using it = await clientOf({ get });
    const skills = clientSkills(it.client);
    const error = await assertRejects(() => skills.get("skill://a/SKILL.md"), McpError);
    assertEquals(error.code, "protocol_error");
  }
});

Deno.test("read() rejects a file that does not match the entry", async () => {
  const text = skillFile("a", "license: MIT\n");
  const entry = await entryOf("a", text);
  const full = { ...entry, frontmatter: { ...entry.frontmatter, license: "MIT" } };
  const rows: readonly (readonly [SkillEntry, string, string | undefined])[] = [
    [full, text, undefined],
    [full, text.replace("Do", "Go"), "the digest is different"],
    [full, `${text} `, "bytes instead of"],
    [entry, text, "the frontmatter is different"],
    [{ ...full, frontmatter: { ...full.frontmatter, x: 1 } }, text, "the frontmatter is different"],
    [{ ...full, resources: "dynamic" }, text, undefined],
    [{ ...entry, resources: "dynamic" }, text, "the frontmatter is different"],
    [{ ...full, resources: "dynamic" }, "No frontmatter", 'between two "---" lines'],
  ];
  for (const [entry, text, reason] of rows) {
    await using it = await clientOf({ text });
    const skills = clientSkills(it.client);
    if (reason === undefined) {
      const file = await skills.read(entry);
      assertEquals([file.text, file.verified], [text, entry.resources !== "dynamic"]);
      continue;
    }
    const error = await assertRejects(() => skills.read(entry), McpError);
    assertEquals(error.code, "protocol_error");
    assert(error.message.includes(reason), error.message);
  }
});

Deno.test("a skill with a wrong digest does not affect the other skills of the server", async () => {
  const text = skillFile("a");
  const entry = await entryOf("a", text);
  const wrong = await entryOf("b", skillFile("other"));
  await using it = await clientOf({ text, list: () => ({ skills: [{ ...wrong }, { ...entry }] }) });
  const skills = clientSkills(it.client, { onError });
  const [b, a] = await skills.list();
  assert(a !== undefined && b !== undefined);
  const error = await assertRejects(() => skills.read(b), McpError);
  assertEquals(error.code, "protocol_error");
  assert(error.message.includes('"skill://b/SKILL.md" does not match its skill\'s entry'));
  assertEquals((await skills.read(a)).text, text);
});

Deno.test("read() sends no request for a file that the entry does not list", async () => {
  const entry = await entryOf("a", skillFile("a"));
  await using it = await clientOf({ text: "secret" });
  const skills = clientSkills(it.client);
  for (const path of ["x.md", "", "../b/SKILL.md", "skill.md", "/SKILL.md", "a\\b", "\ud800"]) {
    const error = await assertRejects(() => skills.read(entry, path), McpError);
    assertEquals([path, error.code], [path, "protocol_error"]);
  }
  const dynamic: SkillEntry = { ...entry, resources: "dynamic" };
  for (const path of ["", "../b/SKILL.md", "a/./b", "a\\b", "\ud800"]) {
    await assertRejects(() => skills.read(dynamic, path), McpError);
  }
  await assertRejects(() => skills.read({ ...entry, resources: [] }), TypeError);
  assertEquals(it.reads, []);
  const file = await skills.read(dynamic, "docs/a b.md");
  assertEquals([file.uri, file.text, file.verified], ["skill://a/docs/a%20b.md", "secret", false]);
});

Deno.test("read() rejects a dynamic file that is larger than maxBytes", async () => {
  const entry = await entryOf("a", skillFile("a"));
  await using it = await clientOf({ text: "12345" });
  const skills = clientSkills(it.client, { maxBytes: 4 });
  const dynamic: SkillEntry = { ...entry, resources: "dynamic" };
  const error = await assertRejects(() => skills.read(dynamic, "x.md"), McpError);
  assert(error.message.includes('"maxBytes" (4)'), error.message);
});

Deno.test("a server without the extension has no skills, and receives no requests for them", async () => {
  const server = new McpServer({ name: "s", version: "1" });
  const transport = createMemoryTransport((pipe) => servePipe(server, pipe));
  await using client = new McpClient({ transport });
  const skills = clientSkills(client);
  assertEquals(skills.supported, false);
  await assertRejects(() => skills.list(), McpError, "connect()");
  await client.connect();
  assertEquals([skills.supported, await skills.list()], [false, []]);
  await assertRejects(() => skills.get("skill://a/SKILL.md"), McpError, "does not declare");
});

Deno.test("an aborted signal ends list, get and read", async () => {
  await using it = await setUp(sampleFiles());
  const { skills } = it;
  const [entry] = await skills.list();
  assert(entry !== undefined);
  const reason = new Error("stop");
  const options: RequestOptions = { signal: AbortSignal.abort(reason) };
  for (
    const call of [
      () => skills.list(options),
      () => skills.get(entry.uri, options),
      () => skills.read(entry, undefined, options),
    ]
  ) {
    assertEquals(await call().catch((error) => error), reason);
  }
});

Deno.test("serverSkills() and clientSkills() reject invalid options", async () => {
  const files = memorySkills({});
  for (const prefix of ["", "/", "a/", "/a", "a//b", "..", "a/../b", "a b", "a?"]) {
    await assertRejects(() => serverSkills({ files, prefix }), TypeError, '"prefix"');
  }
  for (const name of ["maxFiles", "maxBytes", "maxTotalFiles", "pageSize"]) {
    await assertRejects(() => serverSkills({ files, [name]: 0 }), RangeError, name);
  }
  await using it = await setUp({});
  for (const name of ["maxFiles", "maxBytes", "maxSkills", "maxListChars"]) {
    assertThrows(() => clientSkills(it.client, { [name]: 0 }), RangeError, name);
  }
  const extensions = [it.extension];
  assertThrows(() => new McpServer({ name: "s", version: "1", extensions }), TypeError, "another");
  const cache = { ttlMs: -1, cacheScope: "public" } as const;
  await assertRejects(() => serverSkills({ files, cache }), RangeError, "cache.ttlMs");
});
