/**
 * How large `@parley/comm` is in a bundle: minified, split, compressed with gzip.
 *
 *     deno run -A bench/comm_size.ts
 *
 * An entry counts with the chunks that it needs at once; what it loads on demand is listed beside it. Prints a table,
 * and as the last line all sizes in bytes as one JSON object; exits with 1 when one is larger than promised.
 *
 * @module
 */

/** Entry points, and how many bytes they may take where that is promised. */
const ENTRIES: readonly (readonly [file: string, promised?: number])[] = [
  ["mod.ts", 12 * 1024],
  ["canonical_json.ts", 1.5 * 1024],
  ["did.ts"],
  ["did/web.ts"],
  ["policy.ts"],
  ["proof.ts"],
  ["signed_negotiation.ts"],
  ["transport.ts"],
];

interface Size {
  /** The entry and its static chunks. */
  readonly atOnce: number;
  /** Chunks that are imported dynamically. */
  readonly onDemand: number;
}

async function measureSize(file: string): Promise<Size> {
  const folder = await Deno.makeTempDir();
  try {
    const args = ["bundle", "--quiet", "--minify", "--code-splitting", "--platform", "browser"];
    const { success } = await new Deno.Command("deno", {
      args: [...args, "--outdir", folder, `comm/${file}`],
    }).output();
    if (!success) throw new Error(`Cannot bundle comm/${file}`);
    return await addUp(folder, file);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function addUp(folder: string, file: string): Promise<Size> {
  const texts = new Map<string, string>();
  for await (const { name } of Deno.readDir(folder)) {
    texts.set(name, await Deno.readTextFile(`${folder}/${name}`));
  }
  const entry = `${file.split("/").at(-1)?.replace(/\.ts$/, "")}.js`;
  const needed = followImports(entry, texts);
  let [atOnce, onDemand] = [0, 0];
  for (const [name, text] of texts) {
    const bytes = await gzippedLength(text);
    if (needed.has(name)) atOnce += bytes;
    else onDemand += bytes;
  }
  return { atOnce, onDemand };
}

/** The files that a file imports statically, and itself. */
function followImports(entry: string, texts: ReadonlyMap<string, string>): ReadonlySet<string> {
  const needed = new Set<string>();
  const waiting = [entry];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (needed.has(name)) continue;
    needed.add(name);
    const text = texts.get(name);
    if (text === undefined) throw new Error(`Cannot find chunk ${name}`);
    for (const [, chunk] of text.matchAll(/(?:from|import)"\.\/([^"]+)"/g)) {
      waiting.push(chunk ?? "");
    }
  }
  return needed;
}

async function gzippedLength(text: string): Promise<number> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return (await new Response(stream).arrayBuffer()).byteLength;
}

async function main(): Promise<number> {
  const sizes: Record<string, number> = {};
  let missed = false;
  for (const [file, promised = Infinity] of ENTRIES) {
    const { atOnce, onDemand } = await measureSize(file);
    sizes[file] = atOnce;
    missed ||= atOnce > promised;
    const verdict = promised === Infinity
      ? ""
      : atOnce > promised
      ? `MISSED (${promised})`
      : "kept";
    const later = onDemand === 0 ? "" : `${onDemand} on demand`;
    console.log(`${file.padEnd(24)} ${String(atOnce).padStart(7)}  ${later.padEnd(16)} ${verdict}`);
  }
  console.log(JSON.stringify(sizes));
  return missed ? 1 : 0;
}

Deno.exit(await main());
