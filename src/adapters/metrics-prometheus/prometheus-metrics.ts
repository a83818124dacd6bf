/** Collects the metrics of a kernel and writes them in the text format of Prometheus. */
import { readOptions } from '../../core/base/options.ts'
import { attributesOf, onFinishedRequest } from '../telemetry/finished-requests.ts'
import { EVENTS, EVENTS_LOST, REQUEST_DURATION } from '../telemetry/metrics.ts'
import { kernelIdOf, type ObservedKernel } from '../telemetry/observed-kernel.ts'
import { statusSamples } from '../telemetry/status-samples.ts'
import { Histogram } from './histogram.ts'
import { isFreeLabel, labelsText, TextFormat } from './text-format.ts'

export interface MetricsOptions {
  /** Labels that every metric gets, for example to distinguish several kernels of a process. Default: none. */
  readonly labels?: Readonly<Record<string, string>>
}

export interface PrometheusMetrics {
  /** The media type of the text, for the header `Content-Type`. */
  readonly contentType: string
  /**
   * Returns all metrics in the text format 0.0.4. Reads the status of the kernel, and never rejects: while the store does not answer, the
   * metrics that are read from it are missing, and `strongroom_storage_available` is 0.
   */
  text(): Promise<string>
  /** Stops counting. Call it when the kernel is closed, or the metrics are not needed any more. */
  close(): void
}

const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/**
 * Counts the requests and events of a kernel from now on, and returns an object that writes them, and the status of the kernel, as text for
 * Prometheus. No label contains the name of a key, a path, a token or a value. Synchronous calls of key handles are not counted. Answer only
 * requests of your monitoring with the text.
 * @throws TypeError for an object that is not a kernel, and for an invalid option.
 * @example
 * const metrics = prometheusMetrics(kernel)
 * const text = await metrics.text()
 */
export function prometheusMetrics(kernel: ObservedKernel, options: MetricsOptions = {}): PrometheusMetrics {
  const kernelId = kernelIdOf(kernel)
  const { labels = {} } = readOptions('prometheusMetrics', options, { labels: 1 })
  const own = checkedLabels(labels)
  const durations = new Map<string, Histogram>()
  const events = new Map<string, number>()
  let lost = 0
  const stops = [
    onFinishedRequest(kernelId, (request, seconds) => {
      const series = labelsText(own, attributesOf(request))
      const histogram = durations.get(series) ?? new Histogram()
      durations.set(series, histogram)
      histogram.record(seconds)
    }),
    kernel.events.on(
      '*',
      ({ type }) => {
        const series = labelsText(own, { 'strongroom.event': type })
        events.set(series, (events.get(series) ?? 0) + 1)
      },
      {
        lost(count) {
          lost += count
        },
      },
    ),
  ]
  return {
    contentType: CONTENT_TYPE,
    async text() {
      const samples = await statusSamples(kernel)
      const format = new TextFormat()
      format.histograms(REQUEST_DURATION, durations)
      format.numbers(EVENTS, events)
      format.numbers(EVENTS_LOST, new Map([[labelsText(own, {}), lost]]))
      for (const metric of new Set(samples.map((sample) => sample.metric))) {
        const of = samples.filter((sample) => sample.metric === metric)
        format.numbers(metric, new Map(of.map(({ attributes, value }) => [labelsText(own, attributes), value])))
      }
      return format.text
    },
    close() {
      for (const stop of stops.splice(0)) stop()
    },
  }
}

/** @throws TypeError for a name that Prometheus does not allow, and for a value that is not a string. */
function checkedLabels(labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  if (typeof labels !== 'object' || labels === null) throw new TypeError('labels: must be an object')
  for (const [name, value] of Object.entries(labels)) {
    if (!isFreeLabel(name))
      throw new TypeError('labels: names must be valid in Prometheus, and must not be labels of these metrics')
    if (typeof value !== 'string') throw new TypeError('labels: values must be strings')
  }
  return { ...labels }
}
