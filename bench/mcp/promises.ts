/**
 * Limits of the ratios in `bench mcp`: a positive value is a minimum, and a negative value `-n` is
 * a maximum of `n`.
 *
 * @module
 */

/** Limits, keyed by the name of the ratio. */
export const PROMISES = {
  server_cpu_vs_floor: -1.4,
  server_cpu_vs_hand_made: -1.25,
  server_cpu_vs_mcp_lite: -0.65,
  server_cpu_async_vs_sync: -1.5,
  server_cpu_16_vs_floor: -1.4,
  server_cpu_16_vs_hand_made: -1.25,
  server_cpu_16_vs_mcp_lite: -0.65,
  server_cpu_16_async_vs_sync: -1.5,
  server_cpu_64_vs_floor: -1.4,
  server_cpu_64_vs_hand_made: -1.25,
  server_cpu_64_vs_mcp_lite: -0.65,
  server_cpu_64_async_vs_sync: -1.5,
  server_cpu_256_vs_floor: -1.4,
  server_cpu_256_vs_hand_made: -1.25,
  server_cpu_256_vs_mcp_lite: -0.65,
  server_cpu_256_async_vs_sync: -1.5,
  server_cpu_node_vs_floor: -1.45,
  sdk_v1_server_cpu_node_vs_parley: 6,
  server_cpu_1000_tools_vs_1: -1.2,
  server_cpu_1000_sessions_vs_1: -1.2,
  server_memory_vs_floor: -1.3,
  server_memory_1000_sessions_vs_floor: -1.2,
  client_cpu_vs_sdk_v1: -1,
  client_cpu_vs_sdk_v2: -1,
  in_process_vs_sdk_v1: 4,
  in_process_vs_sdk_v2: 12,
  stdio_mean_vs_floor: -1.6,
  stdio_p99_vs_p50: -3,
  tools_list_1000_vs_stringify: -0.3,
};
