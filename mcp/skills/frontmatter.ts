/**
 * Frontmatter of a `SKILL.md` file: the YAML between two `---` lines at its start.
 *
 * @see {@link https://agentskills.io/specification Agent Skills}
 * @module
 */

import { parseYAML } from "confbox/yaml";
import type { JsonObject } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";
import { toJsonValue } from "../shared/to_json_value.ts";
import { escapeText } from "@parley/internal/escape-text";

/**
 * Frontmatter of a `SKILL.md` file. Fields other than `name` and `description` can have any JSON
 * value.
 */
export interface SkillFrontmatter extends JsonObject {
  /** Name of the skill, which is also the name of its folder. */
  readonly name: string;
  /** Purpose of the skill, and when to use the skill. */
  readonly description: string;
}

/** Maximum length of the frontmatter, in UTF-16 code units. */
const MAX_CHARS = 65_536;

/**
 * Limits for YAML from untrusted sources. Few aliases are allowed, because each alias repeats a
 * value, and repeated values grow exponentially if they are nested.
 */
const LIMITS = { maxDepth: 50, maxAliases: 10 };

const FRONTMATTER = /^\uFEFF?---[ \t]*\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|$)/s;

/**
 * Reads the frontmatter of a `SKILL.md` file.
 *
 * @param text Text of the file.
 * @throws {TypeError} If the text does not start with frontmatter, or if the frontmatter is too
 * long or is not valid.
 */
export function parseFrontmatter(text: string): SkillFrontmatter {
  const yaml = FRONTMATTER.exec(text.slice(0, MAX_CHARS))?.[1];
  if (yaml === undefined) {
    throw new TypeError(
      `the file must start with YAML between two "---" lines, at most ${MAX_CHARS} characters long`,
    );
  }
  const value = toJsonValue(parseYaml(yaml));
  if (isFrontmatter(value)) return value;
  throw new TypeError('the frontmatter must contain "name" and "description" as non-empty strings');
}

/** Returns `true` if a value is an object with a name and a description. */
export function isFrontmatter(value: unknown): value is SkillFrontmatter {
  return isRecord(value) && isText(value.name) && isText(value.description);
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "";
}

function parseYaml(yaml: string): unknown {
  try {
    return parseYAML(yaml, LIMITS);
  } catch (cause) {
    // The first line of a YAML error message names the problem. The remaining lines of the YAML
    // error message quote the file.
    const [reason = ""] = (cause instanceof Error ? cause.message : String(cause)).split("\n");
    throw new TypeError(escapeText(`the frontmatter is not valid YAML: ${reason}`), { cause });
  }
}
