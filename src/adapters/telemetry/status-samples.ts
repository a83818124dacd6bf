/** Reads the metrics that the status of a kernel contains. */
import type { KernelStatus } from '../../core/kernel/status.ts'
import { type Attributes, type MetricDefinition, STATUS_METRICS } from './metrics.ts'
import type { ObservedKernel } from './observed-kernel.ts'

export interface Sample {
  readonly metric: MetricDefinition
  readonly value: number
  readonly attributes: Attributes
}

const STATES: readonly KernelStatus['state'][] = ['open', 'sealed', 'uninitialized', 'closed']

/** Never rejects: if the status cannot be read, the only sample is that the store does not answer. */
export async function statusSamples(kernel: ObservedKernel): Promise<readonly Sample[]> {
  let status: KernelStatus
  try {
    status = await kernel.status()
  } catch {
    return [sample(STATUS_METRICS.available, 0)]
  }
  return samplesOf(status)
}

const sample = (metric: MetricDefinition, value: number, attributes: Attributes = {}): Sample => ({ metric, value, attributes })

function samplesOf({ state, storage, cache, due, failed, replication }: KernelStatus): readonly Sample[] {
  const { keys, records, ageMs } = cache
  const of = (name: string): Attributes => ({ 'strongroom.cache': name })
  const in_ = (lane: string): Attributes => ({ 'strongroom.lane': lane })
  return [
    ...STATES.map((name) => sample(STATUS_METRICS.state, Number(name === state), { 'strongroom.state': name })),
    sample(STATUS_METRICS.available, Number(storage.available)),
    ...(ageMs === undefined ? [] : [sample(STATUS_METRICS.cacheAge, ageMs / 1000)]),
    sample(STATUS_METRICS.cacheEntries, keys.keys, of('keys')),
    sample(STATUS_METRICS.cacheEntries, records.records, of('records')),
    sample(STATUS_METRICS.cacheUsage, keys.bytes, of('keys')),
    sample(STATUS_METRICS.cacheHits, keys.hits, of('keys')),
    sample(STATUS_METRICS.cacheHits, records.hits, of('records')),
    sample(STATUS_METRICS.cacheMisses, keys.misses, of('keys')),
    sample(STATUS_METRICS.cacheMisses, records.misses, of('records')),
    ...due.map((lane) => sample(STATUS_METRICS.workDue, lane.due, in_(lane.lane))),
    ...due.map((lane) => sample(STATUS_METRICS.workScheduled, lane.scheduled, in_(lane.lane))),
    ...failedByLane(failed, due).map(([lane, count]) => sample(STATUS_METRICS.workFailed, count, in_(lane))),
    ...replication.flatMap(({ kind, mode, lag }) =>
      lag === undefined
        ? []
        : [
            sample(STATUS_METRICS.replicationLag, lag, {
              'strongroom.replication.kind': kind,
              'strongroom.replication.mode': mode,
            }),
          ],
    ),
  ]
}

/** Counts the failures of each lane. A lane without failures has the count 0, so that an alert ends. */
function failedByLane(failed: KernelStatus['failed'], due: KernelStatus['due']): readonly (readonly [string, number])[] {
  const counts = new Map(due.map(({ lane }) => [lane, 0]))
  for (const { lane } of failed) counts.set(lane, (counts.get(lane) ?? 0) + 1)
  return [...counts]
}
