/** The text format 0.0.4 of Prometheus (https://prometheus.io/docs/instrumenting/exposition_formats/). */
import { ATTRIBUTE_NAMES, type Attributes, type MetricDefinition } from '../telemetry/metrics.ts'
import type { Histogram } from './histogram.ts'

const LABEL_NAME = /^(?!__)[a-zA-Z_][a-zA-Z0-9_]*$/

/** Whether an application may choose the label: Prometheus allows the name, and no metric of this package has it. */
export const isFreeLabel = (name: string): boolean => LABEL_NAME.test(name) && !OWN_LABELS.has(name)

/** The labels of a time series, without braces: `engine="transit",operation="encrypt"`. Identifies the series of a metric. */
export const labelsText = (own: Readonly<Record<string, string>>, attributes: Attributes): string =>
  [...Object.entries(own), ...Object.entries(attributes).map(([name, value]) => [labelName(name), value] as const)]
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',')

/** The prefix is already part of the metric's name. */
const labelName = (attribute: string): string => attribute.replace(/^strongroom\./, '').replaceAll('.', '_')

const OWN_LABELS: ReadonlySet<string> = /* @__PURE__ */ new Set(['le', ...ATTRIBUTE_NAMES.map(labelName)])

const escaped = (value: string): string => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')

/** The units that are part of a name; the names of counts in braces are not. */
const UNITS: Readonly<Record<string, string>> = { s: '_seconds', By: '_bytes' }

const metricName = ({ name, unit, kind }: MetricDefinition): string =>
  `${name.replaceAll('.', '_')}${UNITS[unit] ?? ''}${kind === 'counter' ? '_total' : ''}`

export class TextFormat {
  #lines: string[] = []

  /** All lines so far. */
  get text(): string {
    return this.#lines.map((line) => `${line}\n`).join('')
  }

  /** Adds a counter or a gauge. @param series The values by {@link labelsText}. */
  numbers(metric: MetricDefinition, series: ReadonlyMap<string, number>): void {
    const name = this.#head(metric)
    for (const [labels, value] of series) this.#sample(name, labels, value)
  }

  histograms(metric: MetricDefinition, series: ReadonlyMap<string, Histogram>): void {
    const name = this.#head(metric)
    for (const [labels, histogram] of series) {
      const { cumulative, sum } = histogram
      for (const [bound, count] of cumulative) this.#sample(`${name}_bucket`, joined(labels, `le="${numberText(bound)}"`), count)
      this.#sample(`${name}_sum`, labels, sum)
      this.#sample(`${name}_count`, labels, cumulative.at(-1)?.[1] ?? 0)
    }
  }

  #head(metric: MetricDefinition): string {
    const name = metricName(metric)
    this.#lines.push(`# HELP ${name} ${metric.description}`, `# TYPE ${name} ${metric.kind}`)
    return name
  }

  #sample(name: string, labels: string, value: number): void {
    this.#lines.push(`${name}${labels === '' ? '' : `{${labels}}`} ${numberText(value)}`)
  }
}

const joined = (labels: string, more: string): string => (labels === '' ? more : `${labels},${more}`)

const numberText = (value: number): string => (value === Number.POSITIVE_INFINITY ? '+Inf' : String(value))
