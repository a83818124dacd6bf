import type { BatchObservableCallback, Meter, Observable } from '@opentelemetry/api'
import { attributesOf, onFinishedRequest } from '../telemetry/finished-requests.ts'
import {
  DURATION_BUCKETS,
  EVENTS,
  EVENTS_LOST,
  type MetricDefinition,
  REQUEST_DURATION,
  STATUS_METRICS,
} from '../telemetry/metrics.ts'
import type { ObservedKernel } from '../telemetry/observed-kernel.ts'
import { statusSamples } from '../telemetry/status-samples.ts'

/** Reports the metrics of a kernel. @returns A function that stops it. */
export function reportMetrics(
  kernel: ObservedKernel,
  kernelId: string,
  meter: Meter,
  own: Readonly<Record<string, string>>,
): () => void {
  const duration = meter.createHistogram(REQUEST_DURATION.name, {
    ...optionsOf(REQUEST_DURATION),
    advice: { explicitBucketBoundaries: [...DURATION_BUCKETS] },
  })
  const events = meter.createCounter(EVENTS.name, optionsOf(EVENTS))
  const lost = meter.createCounter(EVENTS_LOST.name, optionsOf(EVENTS_LOST))
  const observables = new Map<MetricDefinition, Observable>(
    Object.values(STATUS_METRICS).map((metric: MetricDefinition) => [
      metric,
      metric.kind === 'counter'
        ? meter.createObservableCounter(metric.name, optionsOf(metric))
        : meter.createObservableGauge(metric.name, optionsOf(metric)),
    ]),
  )
  const collect: BatchObservableCallback = async (result) => {
    for (const { metric, value, attributes } of await statusSamples(kernel))
      result.observe(observables.get(metric) as Observable, value, { ...own, ...attributes })
  }
  meter.addBatchObservableCallback(collect, [...observables.values()])
  const stops = [
    onFinishedRequest(kernelId, (request, seconds) => duration.record(seconds, { ...own, ...attributesOf(request) })),
    kernel.events.on('*', ({ type }) => events.add(1, { ...own, 'strongroom.event': type }), {
      lost: (count) => lost.add(count, own),
    }),
    () => meter.removeBatchObservableCallback(collect, [...observables.values()]),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

const optionsOf = ({ unit, description }: MetricDefinition) => ({ unit, description })
