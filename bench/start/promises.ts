/**
 * Limits of the ratios in `bench start`: a positive value is a minimum, and a negative value `-n`
 * is a maximum of `n`.
 *
 * @module
 */

/** Limits, keyed by the name of the ratio. */
export const PROMISES = {
  import_runtime_ms: -8,
  import_mcp_ms: -11,
  import_comm_ms: -3,
  import_models_ms: -3,
  ai_import_vs_runtime: 5,
  sdk_v1_import_vs_server: 8,
  sdk_v2_import_vs_server: 6,
  cold_start_vs_script: -1.4,
  sdk_v1_cold_start_vs_parley: 4,
  sdk_v2_cold_start_vs_parley: 4,
};
