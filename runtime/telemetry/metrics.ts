/**
 * OpenTelemetry metrics for runs, model calls and tool executions.
 *
 * @module
 */

import type { TokenUsage } from "../shared/usage.ts";
import { COUNTERS, type HistogramName, HISTOGRAMS, usageCounts } from "./attributes.ts";
import type { TelemetryAttributes, TelemetryMeter } from "./options.ts";

type Histogram = ReturnType<TelemetryMeter["createHistogram"]>;
type Counter = ReturnType<TelemetryMeter["createCounter"]>;

/** The instruments created from a meter. */
export class Metrics {
  readonly #histograms: ReadonlyMap<string, Histogram>;
  readonly #counters: ReadonlyMap<string, Counter>;

  /** Creates the instruments. If the meter is omitted, nothing is recorded. */
  constructor(meter: TelemetryMeter | undefined) {
    this.#histograms = new Map(
      meter && Object.entries(HISTOGRAMS).map(([name, options]) => [
        name,
        meter.createHistogram(name, options),
      ]),
    );
    this.#counters = new Map(
      meter &&
        Object.entries(COUNTERS).map(([name, options]) => [
          name,
          meter.createCounter(name, options),
        ]),
    );
  }

  /** Adds a value to a histogram. */
  record(name: HistogramName, value: number, attributes: TelemetryAttributes): void {
    this.#histograms.get(name)?.record(value, attributes);
  }

  /** Adds the token usage of a model call to the counters and histograms. */
  recordUsage(usage: TokenUsage, attributes: TelemetryAttributes): void {
    const operation = "gen_ai.client.inference.operation";
    this.record(`${operation}.input_tokens`, usage.inputTokens, attributes);
    this.record(`${operation}.output_tokens`, usage.outputTokens, attributes);
    // The modality is unknown, because providers do not report separate counts for text, image and
    // audio tokens.
    const counted = { ...attributes, "gen_ai.token.modality": "unknown" };
    for (const [name, count] of Object.entries(usageCounts(usage))) {
      this.#counters.get(name)?.add(count, counted);
    }
  }
}
