/**
 * The metrics of a kernel. OpenTelemetry and Prometheus report the same metrics; this file is their only definition.
 *
 * No attribute contains the name of a key, a path, a namespace or a token. Such names have many values, and readers of metrics may not be
 * allowed to see them.
 */

/** The names in the convention of OpenTelemetry. Prometheus has `engine` in place of `strongroom.engine`, and `_` in place of dots. */
export const ATTRIBUTE_NAMES = [
  'strongroom.engine',
  'strongroom.operation',
  'strongroom.event',
  'strongroom.state',
  'strongroom.cache',
  'strongroom.lane',
  'strongroom.replication.kind',
  'strongroom.replication.mode',
  'error.type',
] as const

export type Attributes = { readonly [Name in (typeof ATTRIBUTE_NAMES)[number]]?: string }

export interface MetricDefinition {
  /** The name in the convention of OpenTelemetry, without unit. */
  readonly name: string
  readonly kind: 'histogram' | 'counter' | 'gauge'
  /** A unit of UCUM: `s`, `By`, or a word in braces for a count. */
  readonly unit: string
  readonly description: string
}

export const REQUEST_DURATION: MetricDefinition = {
  name: 'strongroom.request.duration',
  kind: 'histogram',
  unit: 's',
  description: 'Duration of requests, by engine and operation; error.type is present if the request failed.',
}

/**
 * The upper bounds of the histogram's buckets in seconds: those that OpenTelemetry recommends for durations, and smaller ones, because an
 * encryption in the process takes less than 0.1 ms.
 */
export const DURATION_BUCKETS: readonly number[] = [
  0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5,
  7.5, 10,
]

export const EVENTS: MetricDefinition = {
  name: 'strongroom.events',
  kind: 'counter',
  unit: '{event}',
  description: 'Events of this kernel, by type.',
}

export const EVENTS_LOST: MetricDefinition = {
  name: 'strongroom.events.lost',
  kind: 'counter',
  unit: '{event}',
  description: 'Events that strongroom.events does not include, because too many arrived at once.',
}

const gauge = (name: string, unit: string, description: string): MetricDefinition => ({ name, kind: 'gauge', unit, description })

const counter = (name: string, unit: string, description: string): MetricDefinition => ({
  name,
  kind: 'counter',
  unit,
  description,
})

/** The metrics that are read from the status of the kernel when they are collected. */
export const STATUS_METRICS = {
  state: gauge('strongroom.kernel.state', '{kernel}', '1 for the state of the kernel, 0 for the other states.'),
  available: gauge('strongroom.storage.available', '{storage}', '1 if the store answers, 0 if it does not.'),
  cacheAge: gauge('strongroom.cache.age', 's', 'Maximum age of the caches, compared with the store.'),
  cacheEntries: gauge('strongroom.cache.entries', '{entry}', 'Entries in the cache of key versions and in the cache of records.'),
  cacheUsage: gauge('strongroom.cache.usage', 'By', 'Estimated memory of the cache of key versions.'),
  cacheHits: counter('strongroom.cache.hits', '{hit}', 'Needed entries that the cache had.'),
  cacheMisses: counter('strongroom.cache.misses', '{miss}', 'Needed entries that had to be loaded.'),
  workDue: gauge('strongroom.work.due', '{item}', 'Background work that is due now, at most 1,000 for each lane.'),
  workScheduled: gauge(
    'strongroom.work.scheduled',
    '{item}',
    'Background work that is due now or later, at most 1,000 for each lane.',
  ),
  workFailed: gauge(
    'strongroom.work.failed',
    '{item}',
    'Background work that failed in this process and is not done yet, at most 100.',
  ),
  replicationLag: gauge(
    'strongroom.replication.lag',
    '{entry}',
    'Log entries that this secondary has not applied; on a primary, those of its slowest secondary.',
  ),
} as const satisfies Readonly<Record<string, MetricDefinition>>
