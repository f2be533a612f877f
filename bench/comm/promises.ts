/**
 * Limits of the ratios in `bench comm`: a positive value is a minimum, and a negative value `-n` is
 * a maximum of `n`.
 *
 * @module
 */

/** Limits, keyed by the name of the ratio. */
export const PROMISES = {
  message_cost_vs_hand_made: -1.25,
  message_vs_native: 1.1,
  message_vs_jose: 1.6,
  verify_known_did_key_vs_native: 1.3,
  verify_1000_senders_cost_vs_one: -1.3,
  parse_500b_cost_vs_json_parse: -3,
  parse_16kb_cost_vs_json_parse: -3,
  canonicalize_400b_vs_canonicalize: 2,
  canonicalize_1mb_vs_canonicalize: 2,
  canonicalize_10000_members_vs_fastest: 1,
  canonicalize_any_shape_vs_fastest: 1,
  channel_vs_transform_stream: 10,
  channel_growth_mb: -4,
  queue_300000_waiting_cost_vs_1000: -1.5,
  replay_guard_full_cost_vs_filling: -1.5,
  replay_guard_steady_cost_vs_filling: -1.5,
};
