/**
 * All tables of messages.
 *
 * @module
 */

import { ENVELOPE_ROWS } from "./envelope_rows.ts";
import { INPUT_ROWS } from "./input_rows.ts";
import type { MessageRow } from "./message_row.ts";
import { SERVER_ROWS } from "./server_rows.ts";
import { SESSION_ROWS } from "./session_rows.ts";
import { TASK_ROWS } from "./task_rows.ts";

/** The tables, keyed by their topic. */
export const TABLES: Readonly<Record<string, readonly MessageRow[]>> = {
  "every message": ENVELOPE_ROWS,
  "sessions and notifications": SESSION_ROWS,
  "tools, resources and prompts": SERVER_ROWS,
  "sampling, roots and elicitation": INPUT_ROWS,
  "tasks, input and skills": TASK_ROWS,
};
