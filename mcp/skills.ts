/**
 * Skills, an MCP extension (`io.modelcontextprotocol/skills`) for instructions that a model reads
 * when it needs them. A skill is a folder with a `SKILL.md` file and other files.
 *
 * Servers use {@linkcode serverSkills}, clients use {@linkcode clientSkills}.
 * `@parley/mcp/skills/folder` reads skills from the file system.
 *
 * @module
 */

export type { CacheHint } from "./protocol/modern.ts";
export { McpError, McpErrorCode } from "./shared/error.ts";
export type { McpErrorCodeType, McpErrorDetails, McpErrorOptions } from "./shared/error.ts";
export type { ServerExtension } from "./server/extension.ts";
export {
  type ClientSkills,
  clientSkills,
  type ClientSkillsOptions,
  type SkillFile,
} from "./skills/client.ts";
export type { SkillFrontmatter } from "./skills/frontmatter.ts";
export { type ServerSkills, serverSkills, type ServerSkillsOptions } from "./skills/server.ts";
export type { SkillEntry, SkillResource } from "./skills/skill_entry.ts";
export { memorySkills, type SkillFiles } from "./skills/skill_files.ts";
