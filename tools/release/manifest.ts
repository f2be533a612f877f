/**
 * The package.json files of the npm packages.
 *
 * @module
 */

import type { PackageJson } from "@deno/dnt";
import { ToolError } from "../cli.ts";
import type { Member } from "../members.ts";
import { NOTICE_FILE } from "./joined_packages.ts";
import { CASE_IMPORTS } from "./pack_cases.ts";

/** Package fields and build settings that are not in the member's deno.json. */
export interface Extras {
  readonly description: string;
  /** Search terms on npm. */
  readonly keywords: readonly string[];
  /** The commands, each with the file that implements it. */
  readonly commands?: Readonly<Record<string, string>>;
  /**
   * Packages that a command imports if they are installed, with their versions. Some package
   * managers do not let a command import packages that package.json does not declare.
   */
  readonly drivers?: Readonly<Record<string, string>>;
  /** Whether the code imports `node:` modules, whose types the compiler then needs. */
  readonly node?: boolean;
  /** Files to copy in addition to the modules, and folders to copy without their tests. */
  readonly files?: readonly string[];
  /**
   * Whether to bundle the modules and those of the npm dependencies into a few files, because
   * Node.js takes about half a millisecond to load each file.
   */
  readonly joined?: boolean;
  /** The npm dependencies that are not bundled. */
  readonly separate?: readonly string[];
  /** Whether to pack the kit's cases and to minify JSON modules. */
  readonly cases?: boolean;
}

const EXTRAS: ReadonlyMap<string, Extras> = new Map<string, Extras>([
  ["comm", {
    description:
      "Signed messages between agents: DIDs, Ed25519 signatures over canonical JSON, transports",
    keywords: ["agents", "did", "ed25519", "jcs", "messaging", "queue", "rfc8785", "signatures"],
    node: true,
    joined: true,
  }],
  ["runtime", {
    description:
      "Agent runtime: a tool loop for any language model, with approvals, limits and durable runs",
    keywords: ["agent", "ai", "approvals", "durable-execution", "llm", "tool-calling", "workflow"],
    // If a package has several commands, "npx @parley/runtime" starts the command with the name of
    // the package.
    commands: { "parley-runs": "runs_bin.ts", runtime: "init_bin.ts" },
    drivers: { "pg-boss": "^12.0.0" },
    node: true,
    joined: true,
  }],
  ["mcp", {
    description: "Model Context Protocol client, server and transports",
    keywords: ["agent", "ai", "llm", "mcp", "mcp-client", "mcp-server", "model-context-protocol"],
    commands: { "parley-mcp": "bin.ts" },
    node: true,
    joined: true,
    // cross-spawn consists of CommonJS modules, which use the modules of Node.js with `require()`.
    separate: ["cross-spawn"],
  }],
  ["conformance", {
    description:
      "Conformance tests for agent messaging, agent runtimes and the Model Context Protocol",
    keywords: ["agent", "conformance", "interoperability", "mcp", "test-suite", "testing"],
    commands: { "parley-kit": "bin.ts" },
    files: ["PROTOCOL.md", "drivers/go", "drivers/python", "requirements", "schemas"],
    node: true,
    cases: true,
  }],
]);

/**
 * Returns the package fields and build settings of a member.
 *
 * @throws {ToolError} If `EXTRAS` has no entry for the member.
 */
export function extrasOf({ folder }: Member): Extras {
  const extras = EXTRAS.get(folder);
  if (extras === undefined) {
    throw new ToolError(`"${folder}" is missing from EXTRAS in manifest.ts`);
  }
  return extras;
}

/**
 * Returns the fields of package.json that dnt does not derive from the modules.
 *
 * @param repository URL of the repository. If undefined, package.json names no repository, home
 * page or issue tracker.
 */
export function packageFields(member: Member, repository: string | undefined): PackageJson {
  const { description, keywords, drivers, files = [], node, cases, joined } = extrasOf(member);
  return {
    name: member.name,
    version: member.version,
    description,
    keywords: [...keywords],
    license: "MIT",
    ...(repository === undefined ? {} : linksTo(repository, member.folder)),
    type: "module",
    sideEffects: false,
    engines: { node: ">=22.13" },
    files: ["esm", ...(joined ? [NOTICE_FILE] : []), ...files],
    exports: { "./package.json": "./package.json" },
    ...(cases ? { imports: CASE_IMPORTS } : {}),
    ...(drivers === undefined ? {} : {
      peerDependencies: drivers,
      peerDependenciesMeta: Object.fromEntries(
        Object.keys(drivers).map((name) => [name, { optional: true }]),
      ),
    }),
    ...(node ? { devDependencies: { "@types/node": "~22.13.0" } } : {}),
  };
}

/**
 * Returns the fields with URLs. npm compares the URL of the repository with the provenance
 * attestation.
 */
function linksTo(repository: string, folder: string) {
  return {
    homepage: `${repository}/tree/main/${folder}#readme`,
    repository: { type: "git", url: `git+${repository}.git`, directory: folder },
    bugs: { url: `${repository}/issues` },
  };
}

/** The fields of a package.json that {@linkcode completeManifest} changes. */
export interface BuiltManifest {
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/**
 * Completes a package.json from dnt, which declares exports only for `import` and without types:
 * adds the type declarations, and lets CommonJS modules load the package with `require()`. Removes
 * the dependencies whose code the package contains.
 *
 * @param joined Names of the packages whose code the package contains.
 */
export function completeManifest(
  { _generatedBy: _, dependencies = {}, ...manifest }: BuiltManifest,
  joined: readonly string[] = [],
): BuiltManifest {
  const exports = Object.entries(manifest.exports).map(([name, target]) => {
    const file = typeof target === "string" ? undefined : target["import"];
    if (file === undefined) return [name, target];
    return [name, { types: file.replace(/\.js$/, ".d.ts"), default: file }];
  });
  const needed = Object.entries(dependencies).filter(([name]) => !joined.includes(name));
  return {
    ...manifest,
    types: "./esm/mod.d.ts",
    exports: Object.fromEntries(exports),
    ...(needed.length === 0 ? {} : { dependencies: Object.fromEntries(needed) }),
  };
}
