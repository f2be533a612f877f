/**
 * Wire format of skills: methods, entries and URIs.
 *
 * @see {@link https://modelcontextprotocol.io/seps/2640-skills-extension Skills}
 * @module
 */

import { isRecord } from "@parley/internal/json";
import { isFrontmatter, type SkillFrontmatter } from "./frontmatter.ts";

/** Identifier of the skills extension. */
export const SKILLS_EXTENSION = "io.modelcontextprotocol/skills";

/** Methods of the skills extension. */
export const SkillMethod = {
  List: "skills/list",
  Get: "skills/get",
  ReadDirectory: "resources/directory/read",
} as const;

/** Name of the file that describes a skill. */
export const SKILL_FILE = "SKILL.md";

/** Number of files per skill that every client must support. */
export const DEFAULT_MAX_FILES = 512;

/** Total size of a skill's files that every client must support, in bytes. */
export const DEFAULT_MAX_BYTES = 16_777_216;

/** A file of a skill. */
export interface SkillResource {
  /** URI of the file. */
  readonly uri: string;
  /** SHA-256 digest of the bytes: `sha256:` and 64 lowercase hexadecimal digits. */
  readonly digest: string;
  /** Number of bytes. */
  readonly size: number;
}

/** Description of a skill. */
export interface SkillEntry {
  /** URI of the skill's `SKILL.md` file. */
  readonly uri: string;
  /** Frontmatter of the `SKILL.md` file. */
  readonly frontmatter: SkillFrontmatter;
  /**
   * All files of the skill, or `"dynamic"` if the server generates files whose digests are not
   * known in advance.
   */
  readonly resources: readonly SkillResource[] | "dynamic";
}

/** Limits for one skill. */
export interface SkillLimits {
  /** Maximum number of files. */
  readonly maxFiles: number;
  /** Maximum total size of the files, in bytes. */
  readonly maxBytes: number;
}

const DIGEST = /^sha256:[0-9a-f]{64}$/;
const NAME = /^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/;
const SKILL_URI = /^([A-Za-z][A-Za-z0-9+.-]*:\/\/.+)\/SKILL\.md$/;

/** Returns `true` if a string is a valid skill name. */
export function isSkillName(name: string): boolean {
  return NAME.test(name);
}

/** Returns the URI of a skill's folder, without a slash at the end. */
export function folderOf({ uri }: Pick<SkillEntry, "uri">): string {
  return uri.slice(0, -`/${SKILL_FILE}`.length);
}

/**
 * Returns the SHA-256 digest of bytes in the format of {@linkcode SkillResource.digest}.
 */
export async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `sha256:${hex}`;
}

/**
 * Decodes the part of a file's URI that follows the folder's URI. Returns `undefined` if the file
 * is not in the folder, or if the path is not a plain relative path.
 */
export function pathWithin(folder: string, uri: string): string | undefined {
  if (!uri.startsWith(`${folder}/`)) return undefined;
  const segments = uri.slice(folder.length + 1).split("/").map(decodeSegment);
  return segments.every(isPlainSegment) ? segments.join("/") : undefined;
}

/** Returns `true` if a decoded path segment names one file or folder on every platform. */
export function isPlainSegment(segment: string | undefined): segment is string {
  // deno-lint-ignore no-control-regex
  return segment !== undefined && !/^\.{0,2}$|[/\\\u0000-\u001f\u007f]/.test(segment);
}

function decodeSegment(segment: string): string | undefined {
  try {
    return /[?#]/.test(segment) ? undefined : decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/**
 * Checks that a value is a valid entry within the limits.
 *
 * @throws {TypeError} If the value is not a valid entry.
 */
export function assertEntry(value: unknown, limits: SkillLimits): asserts value is SkillEntry {
  const problem = findProblem(value, limits);
  if (problem !== undefined) throw new TypeError(problem);
}

function findProblem(value: unknown, limits: SkillLimits): string | undefined {
  if (!isRecord(value)) return "the entry must be an object";
  const { uri, frontmatter, resources } = value;
  if (typeof uri !== "string") return '"uri" must be a string';
  const folder = SKILL_URI.exec(uri)?.[1];
  if (folder === undefined) return '"uri" must be an absolute URI that ends with "/SKILL.md"';
  if (!isFrontmatter(frontmatter)) {
    return '"frontmatter" must contain "name" and "description" as non-empty strings';
  }
  const { name } = frontmatter;
  if (!isSkillName(name)) return `"${name}" is not a valid skill name`;
  if (!folder.endsWith(`/${name}`)) return `the folder in "uri" must be named "${name}"`;
  if (resources === "dynamic") return undefined;
  if (!Array.isArray(resources)) return '"resources" must be an array or "dynamic"';
  return findResourcesProblem(uri, folder, resources, limits);
}

function findResourcesProblem(
  skillUri: string,
  folder: string,
  resources: readonly unknown[],
  { maxFiles, maxBytes }: SkillLimits,
): string | undefined {
  if (resources.length > maxFiles) {
    return `the skill has ${resources.length} files, more than "maxFiles" (${maxFiles})`;
  }
  const paths = new Set<string>();
  let total = 0;
  for (const resource of resources) {
    if (!isResource(resource)) return "a file must have a URI, a SHA-256 digest and a size";
    const path = pathWithin(folder, resource.uri);
    if (path === undefined) return `"${resource.uri}" is not a file in "${folder}"`;
    if (paths.has(path)) return `the file "${path}" is listed more than once`;
    paths.add(path);
    total += resource.size;
  }
  if (!resources.some((resource) => isResource(resource) && resource.uri === skillUri)) {
    return `"resources" must contain "${skillUri}"`;
  }
  return total > maxBytes
    ? `the skill has ${total} bytes, more than "maxBytes" (${maxBytes})`
    : undefined;
}

function isResource(value: unknown): value is SkillResource {
  if (!isRecord(value)) return false;
  const { uri, digest, size } = value;
  return typeof uri === "string" && typeof digest === "string" && DIGEST.test(digest) &&
    typeof size === "number" && Number.isSafeInteger(size) && size >= 0;
}
