/**
 * Client side of the skills extension.
 *
 * @see {@link https://modelcontextprotocol.io/seps/2640-skills-extension Skills}
 * @module
 */

import type { McpClient } from "../client/client.ts";
import type { RequestOptions } from "../client/request_options.ts";
import type { ResourceContents } from "../protocol/resource.ts";
import { decodeBase64 } from "@parley/internal/base64";
import {
  assertCount,
  assertFunction,
  assertObject,
  assertString,
} from "@parley/internal/assert-argument";
import { optionsReader, withDefault } from "@parley/internal/options";
import { formatValue } from "@parley/internal/format-value";
import { McpError } from "../shared/error.ts";
import { createErrorReporter } from "@parley/internal/error-reporter";
import type { JsonObject } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";
import { parseFrontmatter } from "./frontmatter.ts";
import {
  assertEntry,
  DEFAULT_MAX_BYTES,
  DEFAULT_MAX_FILES,
  digestOf,
  folderOf,
  isPlainSegment,
  pathWithin,
  SKILL_FILE,
  type SkillEntry,
  type SkillLimits,
  SkillMethod,
  type SkillResource,
  SKILLS_EXTENSION,
} from "./skill_entry.ts";

/** Options for {@linkcode clientSkills}. */
export interface ClientSkillsOptions {
  /**
   * Maximum number of files in one skill. A skill with more than `maxFiles` files is invalid. The
   * specification requires support for at least 512 files.
   *
   * @default {512}
   */
  readonly maxFiles?: number;
  /**
   * Maximum total size of the files in one skill, in bytes. A skill with more than `maxBytes` bytes
   * is invalid. The specification requires support for skills of at least 16 MiB.
   *
   * @default {16_777_216}
   */
  readonly maxBytes?: number;
  /**
   * Maximum number of skills that a server may list.
   *
   * @default {10_000}
   */
  readonly maxSkills?: number;
  /**
   * Maximum size of the list of skills, as JSON, in UTF-16 code units.
   *
   * @default {16_777_216}
   */
  readonly maxListChars?: number;
  /**
   * Called with one error for each skill that `list` omits. If omitted, errors are printed to
   * standard error: each error once, and at most 20 per minute. Pass `() => {}` to ignore errors.
   */
  readonly onError?: (error: unknown) => void;
}

const readOptions = optionsReader<ClientSkillsOptions>("options")({
  maxFiles: withDefault(DEFAULT_MAX_FILES, assertCount),
  maxBytes: withDefault(DEFAULT_MAX_BYTES, assertCount),
  maxSkills: withDefault(10_000, assertCount),
  maxListChars: withDefault(16_777_216, assertCount),
  onError: assertFunction,
});

/** A file of a skill that a client has read. */
export interface SkillFile {
  /** URI of the file. */
  readonly uri: string;
  /** Bytes of the file. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /**
   * Text of the file, if the server sent the file as text, and always for a skill's `SKILL.md`
   * file.
   */
  readonly text?: string;
  /** Media type of the file, as reported by the server. */
  readonly mimeType?: string;
  /**
   * Whether the size and digest match the entry. `verified` is `false` only if the skill's
   * `resources` are `"dynamic"`.
   */
  readonly verified: boolean;
}

/** Access to a server's skills. */
export interface ClientSkills {
  /** Whether the connected server declares the skills extension. */
  readonly supported: boolean;
  /**
   * Lists the server's skills, across all pages, without reading any file. Invalid entries and
   * entries with duplicate URIs are reported to `onError` and omitted. Returns an empty list if the
   * server does not declare the extension. A server may serve skills that it does not list.
   *
   * @param options Abort signal and timeouts for each request.
   * @throws {McpError} With code `protocol_error` if the result is not a list, its cursor is not a
   * string, or the list is too long.
   * @throws {McpError} If a request fails, with the same codes as {@linkcode McpClient.listTools}.
   */
  list(options?: RequestOptions): Promise<readonly SkillEntry[]>;
  /**
   * Gets the current entry of one skill, without reading any file. Call `get` for skills that are
   * not listed, and after `read` has failed because a skill has changed.
   *
   * @param uri URI of the skill's `SKILL.md` file.
   * @param options Abort signal and timeouts for the request.
   * @throws {McpError} With code `protocol_error` if the server does not declare the extension,
   * does not serve the skill, or returns an entry that is not valid.
   * @throws {McpError} If the request fails, with the same codes as
   * {@linkcode McpClient.listTools}.
   */
  get(uri: string, options?: RequestOptions): Promise<SkillEntry>;
  /**
   * Reads one file of a skill and verifies its size and digest. The frontmatter of a `SKILL.md`
   * file is also compared with the entry. The digest comes from the same server as the file, so a
   * matching digest does not make the content trustworthy.
   *
   * @param entry Entry from {@linkcode ClientSkills.list} or {@linkcode ClientSkills.get}.
   * @param path Path in the skill's folder, such as `references/limits.md`; by default, `SKILL.md`.
   * @param options Abort signal and timeouts for the request.
   * @throws {TypeError} If `entry` is not a valid entry.
   * @throws {McpError} With code `protocol_error` if the entry does not list the file, or the file
   * does not match the entry. After a `protocol_error`, get the skill's current entry, or do not
   * use the skill.
   * @throws {McpError} If the request fails, with the same codes as
   * {@linkcode McpClient.getResource}.
   */
  read(entry: SkillEntry, path?: string, options?: RequestOptions): Promise<SkillFile>;
}

/** Maximum number of pages in a list. */
const MAX_PAGES = 1000;

/**
 * Returns an object that gives access to the skills of the server that a client is connected to.
 *
 * The instructions in a skill come from the server and are untrusted. Ask the user before a model
 * follows the instructions, tell the model which server they come from, and ignore frontmatter
 * fields that grant permissions, such as `allowed-tools`.
 *
 * @param client Client, which may connect later.
 * @param options Limits, and an error callback.
 * @throws {TypeError} If `client` or `options` is not an object, or `onError` is not a function.
 * @throws {RangeError} If a limit is not a positive integer.
 *
 * @example List the skills of a server, and read one
 * ```ts
 * import { createMemoryTransport, McpClient, McpServer, servePipe } from "@parley/mcp";
 * import { clientSkills, memorySkills, serverSkills } from "@parley/mcp/skills";
 * import { assertEquals } from "@std/assert";
 *
 * const files = memorySkills({
 *   "refunds/SKILL.md": "---\nname: refunds\ndescription: Handles refunds\n---\nSee limits.md.",
 *   "refunds/limits.md": "At most 100 euros.",
 * });
 * const extensions = [await serverSkills({ files })];
 * const server = new McpServer({ name: "shop", version: "1.0.0", extensions });
 * const transport = createMemoryTransport((pipe) => servePipe(server, pipe));
 * await using client = new McpClient({ transport });
 * await client.connect();
 *
 * const skills = clientSkills(client);
 * for (const skill of await skills.list()) {
 *   assertEquals(skill.frontmatter.description, "Handles refunds");
 *   const { text } = await skills.read(skill, "limits.md");
 *   assertEquals(text, "At most 100 euros.");
 * }
 * ```
 */
export function clientSkills(client: McpClient, options: ClientSkillsOptions = {}): ClientSkills {
  assertObject("client", client);
  const { maxFiles, maxBytes, maxSkills, maxListChars, onError } = readOptions(options);
  const report = createErrorReporter("clientSkills", onError);
  const limits = { maxFiles, maxBytes };
  return {
    get supported() {
      return isSupported(client);
    },
    async list(options) {
      if (client.connected && !isSupported(client)) return [];
      return validEntries(
        await listAll(client, { maxSkills, maxListChars }, options),
        limits,
        report,
      );
    },
    async get(uri, options) {
      assertString("uri", uri);
      if (client.connected && !isSupported(client)) {
        throw McpError.protocolError(`the server does not declare "${SKILLS_EXTENSION}"`);
      }
      const { skill } = await client.request(SkillMethod.Get, { uri }, options);
      try {
        assertEntry(skill, limits);
      } catch (cause) {
        throw invalidEntry(uri, cause);
      }
      if (skill.uri === uri) return skill;
      throw invalidEntry(uri, "the server returned a different skill");
    },
    read: (entry, path, options) => readFile(client, entry, path ?? SKILL_FILE, limits, options),
  };
}

function isSupported(client: McpClient): boolean {
  return isRecord(client.server?.capabilities.extensions?.[SKILLS_EXTENSION]);
}

async function listAll(
  client: McpClient,
  { maxSkills, maxListChars }: { readonly maxSkills: number; readonly maxListChars: number },
  options: RequestOptions | undefined,
): Promise<readonly unknown[]> {
  const all: unknown[] = [];
  let chars = 0;
  let params: JsonObject = {};
  for (let page = 1; page <= MAX_PAGES; page++) {
    const { skills, nextCursor } = await client.request(SkillMethod.List, params, options);
    if (!Array.isArray(skills)) {
      throw McpError.protocolError(`the result of "${SkillMethod.List}" has no "skills" array`);
    }
    if (all.length + skills.length > maxSkills) {
      throw McpError.protocolError(`the server lists more than "maxSkills" (${maxSkills}) skills`);
    }
    chars += JSON.stringify(skills).length;
    if (chars > maxListChars) {
      throw McpError.protocolError(
        `the list of skills is longer than "maxListChars" (${maxListChars})`,
      );
    }
    all.push(...skills);
    if (nextCursor === undefined || nextCursor === null) return all;
    if (typeof nextCursor !== "string") {
      // The list would lack the other pages.
      throw McpError.protocolError(
        `the result of "${SkillMethod.List}" is not valid: "nextCursor" must be a string`,
      );
    }
    params = { cursor: nextCursor };
  }
  throw McpError.protocolError(`the server's list of skills has more than ${MAX_PAGES} pages`);
}

/** Returns the valid entries with unique URIs, and reports the other entries. */
function validEntries(
  all: readonly unknown[],
  limits: SkillLimits,
  report: (error: unknown) => void,
): readonly SkillEntry[] {
  const uris = all.map((entry) => isRecord(entry) ? entry.uri : undefined);
  const seen = new Set<unknown>();
  const repeated = new Set(uris.filter((uri) => seen.size === seen.add(uri).size));
  const valid: SkillEntry[] = [];
  for (const [index, entry] of all.entries()) {
    try {
      assertEntry(entry, limits);
      if (repeated.has(entry.uri)) throw new TypeError("the URI is listed more than once");
      valid.push(entry);
    } catch (cause) {
      report(invalidEntry(uris[index], cause));
    }
  }
  return valid;
}

function invalidEntry(uri: unknown, cause: unknown): McpError {
  const problem = cause instanceof Error ? cause.message : String(cause);
  const reason = `the entry of the skill ${formatValue(uri)} is not valid: ${problem}`;
  return McpError.protocolError(reason, { cause });
}

async function readFile(
  client: McpClient,
  entry: SkillEntry,
  path: string,
  limits: SkillLimits,
  options: RequestOptions | undefined,
): Promise<SkillFile> {
  assertEntry(entry, limits);
  assertString("path", path);
  const file = findFile(entry, path);
  const { contents } = await client.getResource(file.uri, options);
  const content = contents.find(({ uri }) => uri === file.uri);
  if (content === undefined) throw mismatch(file.uri, "the server returned a different resource");
  const bytes = toBytes(content, file.uri);
  const isVerified = await verify(bytes, file, limits);
  const { mimeType } = content;
  const about = {
    uri: file.uri,
    bytes,
    verified: isVerified,
    ...(mimeType === undefined ? {} : { mimeType }),
  };
  if (file.uri !== entry.uri) {
    return content.text === undefined ? about : { ...about, text: content.text };
  }
  const text = new TextDecoder().decode(bytes);
  verifyFrontmatter(text, entry);
  return { ...about, text };
}

/** A file to read. The size and digest are unknown if the skill is dynamic. */
type ExpectedFile = SkillResource | { readonly uri: string };

function findFile(entry: SkillEntry, path: string): ExpectedFile {
  const folder = folderOf(entry);
  const segments = path.split("/");
  if (segments.every(isPlainSegment) && path.isWellFormed()) {
    if (entry.resources === "dynamic") {
      return { uri: `${folder}/${segments.map(encodeURIComponent).join("/")}` };
    }
    const file = entry.resources.find(({ uri }) => pathWithin(folder, uri) === path);
    if (file !== undefined) return file;
  }
  throw McpError.protocolError(`${formatValue(path)} is not a file of the skill "${entry.uri}"`);
}

function toBytes({ text, blob }: ResourceContents, uri: string): Uint8Array<ArrayBuffer> {
  if (typeof text === "string") return new TextEncoder().encode(text);
  try {
    return decodeBase64(blob ?? "");
  } catch {
    throw mismatch(uri, "the content is not valid base64");
  }
}

/** Returns `true` if the size and digest match, and `false` if they are unknown. */
async function verify(
  bytes: Uint8Array<ArrayBuffer>,
  file: ExpectedFile,
  { maxBytes }: SkillLimits,
): Promise<boolean> {
  if (!("digest" in file)) {
    if (bytes.length <= maxBytes) return false;
    throw mismatch(file.uri, `the file has more than "maxBytes" (${maxBytes}) bytes`);
  }
  if (bytes.length !== file.size) {
    throw mismatch(file.uri, `the file has ${bytes.length} bytes instead of ${file.size}`);
  }
  if (await digestOf(bytes) !== file.digest) throw mismatch(file.uri, "the digest is different");
  return true;
}

function verifyFrontmatter(text: string, { uri, frontmatter }: SkillEntry): void {
  let actual: unknown;
  try {
    actual = parseFrontmatter(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw mismatch(uri, reason, cause);
  }
  if (!isSameJson(actual, frontmatter)) throw mismatch(uri, "the frontmatter is different");
}

/**
 * Compares two JSON values. The recursion depth is limited, because the parser of `a` limits the
 * depth of values.
 */
function isSameJson(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => isSameJson(item, b[index]));
  }
  if (!isRecord(a) || !isRecord(b)) return a === b;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSameJson(a[key], b[key]));
}

function mismatch(uri: string, reason: string, cause?: unknown): McpError {
  return McpError.protocolError(`the file "${uri}" does not match its skill's entry: ${reason}`, {
    cause,
  });
}
