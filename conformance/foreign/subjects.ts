/**
 * Every implementation that nobody here wrote and the kit is run on.
 *
 * @module
 */

import { LOOPS } from "./loops.ts";
import { MCP_SUBJECTS } from "./mcp_subjects.ts";
import type { ForeignSubject } from "./subject.ts";

/** The subjects, in the order of the report. */
export const FOREIGN_SUBJECTS: readonly ForeignSubject[] = [...LOOPS, ...MCP_SUBJECTS];
