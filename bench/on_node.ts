/**
 * Runs a benchmark of this folder on the Node that is on PATH.
 *
 *     deno run -A bench/on_node.ts comm
 *
 * @module
 */

const FOLDER = new URL("./", import.meta.url);

async function run(command: string, args: readonly string[]): Promise<number> {
  const child = new Deno.Command(command, { args: [...args], cwd: FOLDER }).spawn();
  return (await child.status).code;
}

async function main([name]: readonly string[]): Promise<number> {
  if (name === undefined || !/^[a-z_]+$/.test(name)) {
    console.error("Usage: deno run -A bench/on_node.ts NAME");
    return 2;
  }
  // Below node_modules, where Node finds the peers and Git nothing to keep.
  const bundle = `node_modules/.bench/${name}.mjs`;
  const config = ["--quiet", "--config", "deno.json"];
  // Loading it once fetches the peers; bundling alone would leave out those with computed names.
  const failure = await run("deno", ["install", ...config]) ||
    await run("deno", ["bundle", ...config, "--output", bundle, `${name}.ts`]);
  return failure || await run("node", ["--expose-gc", bundle]);
}

Deno.exit(await main(Deno.args));
