/**
 * Sources of skill files.
 *
 * @module
 */

import { assertObject } from "@parley/internal/assert-argument";
import { formatValue } from "@parley/internal/format-value";

/** A source of skill files. Paths are relative and use `/` as the separator. */
export interface SkillFiles {
  /** Returns the paths of all files. */
  list(): Promise<readonly string[]>;
  /**
   * Returns the bytes of a file.
   *
   * @param path Path of the file, as returned by {@linkcode SkillFiles.list}.
   * @throws If the file does not exist or cannot be read.
   */
  read(path: string): Promise<Uint8Array>;
}

/**
 * Creates a source for in-memory files.
 *
 * @param files Text or bytes of each file, keyed by path, such as `pdf-processing/SKILL.md`. The
 * caller may modify the `files` object before the skills are reloaded.
 * @throws {TypeError} If `files` is not an object.
 *
 * @example Two files of one skill
 * ```ts
 * import { memorySkills } from "@parley/mcp/skills";
 * import { assertEquals } from "@std/assert";
 *
 * const files = memorySkills({
 *   "refunds/SKILL.md": "---\nname: refunds\ndescription: Handles refunds\n---\n",
 *   "refunds/references/limits.md": "At most 100 euros.",
 * });
 * assertEquals(await files.list(), ["refunds/SKILL.md", "refunds/references/limits.md"]);
 * ```
 */
export function memorySkills(files: Readonly<Record<string, string | Uint8Array>>): SkillFiles {
  assertObject("files", files);
  return {
    list: () => Promise.resolve(Object.keys(files)),
    read(path) {
      const content: unknown = Object.hasOwn(files, path) ? files[path] : undefined;
      if (typeof content === "string") return Promise.resolve(new TextEncoder().encode(content));
      if (content instanceof Uint8Array) return Promise.resolve(content);
      return Promise.reject(
        new TypeError(`"${path}" must be a string or a Uint8Array, got ${formatValue(content)}`),
      );
    },
  };
}
