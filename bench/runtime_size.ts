/**
 * How large the runtime is in a browser: minified, gzipped, the entry with everything it loads at once. What is loaded
 * later (validators, approvals, journal replay, retries, streaming, delegation, workflows, MCP mapping) is listed apart.
 * Exits with 1 above the limits.
 *
 *     deno task bench:runtime:size
 *
 * @module
 */

/** Entry, what it exports, and the limit in kilobytes. Measured sizes with room for a small change, to notice a large one. */
const ENTRIES = [
  ["everything", "export * from", 13.6],
  ["an agent", "export { ToolLoopAgent } from", 11.1],
  ["the loop", "export { runToolLoop, ToolRegistry } from", 9.9],
] as const;

interface Size {
  readonly atOnceKb: number;
  readonly laterKb: number;
}

async function gzippedKb(text: string): Promise<number> {
  const compressed = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return (await new Response(compressed).arrayBuffer()).byteLength / 1000;
}

/** The chunks that a chunk imports statically, itself included. */
function loadedAtOnce(chunks: ReadonlyMap<string, string>, entry: string): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    for (
      const [, target = ""] of (chunks.get(name) ?? "").matchAll(/(?:from|import)"\.\/([^"]+)"/g)
    ) visit(target);
  };
  visit(entry);
  return found;
}

async function measure(statement: string): Promise<Size> {
  const folder = await Deno.makeTempDir();
  try {
    const entry = `${folder}/entry.ts`;
    const runtime = new URL("../runtime/mod.ts", import.meta.url).href;
    await Deno.writeTextFile(entry, `${statement} ${JSON.stringify(runtime)};`);
    const { success, stderr } = await new Deno.Command("deno", {
      args: [
        "bundle",
        "--quiet",
        "--minify",
        "--code-splitting",
        "--platform=browser",
        `--outdir=${folder}/out`,
        entry,
      ],
      cwd: new URL("..", import.meta.url),
    }).output();
    if (!success) throw new Error(`Cannot bundle: ${new TextDecoder().decode(stderr)}`);
    const chunks = new Map<string, string>();
    for await (const { name } of Deno.readDir(`${folder}/out`)) {
      chunks.set(name, await Deno.readTextFile(`${folder}/out/${name}`));
    }
    const atOnce = loadedAtOnce(chunks, "entry.js");
    let [atOnceKb, laterKb] = [0, 0];
    for (const [name, text] of chunks) {
      const size = await gzippedKb(text);
      if (atOnce.has(name)) atOnceKb += size;
      else laterKb += size;
    }
    return { atOnceKb, laterKb };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const sizes: Record<string, number> = {};
let isTooLarge = false;
for (const [name, statement, limitKb] of ENTRIES) {
  const { atOnceKb, laterKb } = await measure(statement);
  sizes[name] = Number(atOnceKb.toFixed(2));
  isTooLarge ||= atOnceKb > limitKb;
  console.log(
    `${name.padEnd(12)} ${atOnceKb.toFixed(1)} kB at once (limit ${limitKb}), ${
      laterKb.toFixed(1)
    } kB later`,
  );
}
console.log(JSON.stringify(sizes));
if (isTooLarge) Deno.exit(1);
