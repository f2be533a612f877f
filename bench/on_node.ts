/**
 * Runs a benchmark of this folder on the Node that is on PATH.
 *
 *     deno run -A bench/on_node.ts comm
 *
 * @module
 */

const FOLDER = new URL("./", import.meta.url);

/** The programs that a benchmark starts beside itself. */
const CHILDREN: ReadonlyMap<string, readonly string[]> = new Map([
  ["mcp", ["mcp/child.ts", "mcp/stdio_server.ts", "mcp/stdio_floor.ts"]],
]);

async function run(command: string, args: readonly string[]): Promise<number> {
  const child = new Deno.Command(command, { args: [...args], cwd: FOLDER }).spawn();
  return (await child.status).code;
}

/** An empty folder below node_modules, where Node finds the peers and Git nothing to keep. */
async function createOutput(name: string): Promise<string> {
  const path = `node_modules/.bench/${name}`;
  const output = new URL(`${path}/`, FOLDER);
  await Deno.remove(output, { recursive: true }).catch(() => {});
  await Deno.mkdir(output, { recursive: true });
  await Deno.writeTextFile(new URL("package.json", output), '{ "type": "module" }\n');
  return path;
}

async function main([name]: readonly string[]): Promise<number> {
  if (name === undefined || !/^[a-z_]+$/.test(name)) {
    console.error("Usage: deno run -A bench/on_node.ts NAME");
    return 2;
  }
  const children = CHILDREN.get(name) ?? [];
  const output = await createOutput(name);
  const config = ["--quiet", "--config", "deno.json"];
  // Installing fetches the peers; bundling alone would leave out those with computed names.
  const failure = await run("deno", ["install", ...config]) ||
    await run("deno", [
      "bundle",
      ...config,
      "--code-splitting",
      "--outdir",
      output,
      `${name}.ts`,
      ...children,
    ]);
  return failure || await run("node", ["--expose-gc", `${output}/${name}.js`]);
}

Deno.exit(await main(Deno.args));
