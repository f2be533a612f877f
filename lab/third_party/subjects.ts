/**
 * Third-party implementations that the kit tests.
 *
 * @module
 */

import { AGENT_LOOPS } from "./agent_loops.ts";
import { JAVA_AGENT_LOOPS } from "./java_agent_loops.ts";
import { PYTHON_AGENT_LOOPS } from "./python_agent_loops.ts";
import { MCP_SUBJECTS } from "./mcp_subjects.ts";
import { MESSAGE_SUBJECTS } from "./message_subjects.ts";
import { MODEL_ADAPTERS } from "./model_adapters.ts";
import type { ThirdPartySubject } from "./subject.ts";

/** The subjects, in the order of the report. */
export const THIRD_PARTY_SUBJECTS: readonly ThirdPartySubject[] = [
  ...MESSAGE_SUBJECTS,
  ...AGENT_LOOPS,
  ...PYTHON_AGENT_LOOPS,
  ...JAVA_AGENT_LOOPS,
  ...MODEL_ADAPTERS,
  ...MCP_SUBJECTS,
];
