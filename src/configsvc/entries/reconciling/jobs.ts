/**
 * The jobs of reconciliation: finding what a changed entry affects, and computing what a gateway serves. All jobs have the same due time, so
 * scheduling a job again before it has run adds no second item to the due index.
 */
import type { ConfigTx } from '../../call.ts'
import type { EntryKindName } from '../kind.ts'
import { segmentOf } from '../store/entry-records.ts'

export const RECONCILIATION = 'reconciliation'

/**
 * The first segments of the ids of jobs. Jobs run in this order, so a gateway is computed only after all changes that may affect it were
 * examined.
 */
export const ENTRY_JOB = 'entry'
export const GATEWAY_JOB = 'gateway'

const DUE_NOW = 0

/** @param after The position at which to continue, as `<kind>/<name>`. */
export const entryJob = (namespace: string, kind: EntryKindName, name: string, after?: string): string =>
  [ENTRY_JOB, namespace, kind, segmentOf(name), ...(after === undefined ? [] : [after])].join('/')

export const gatewayJob = (namespace: string, name: string): string => `${GATEWAY_JOB}/${namespace}/${segmentOf(name)}`

export const scheduleJob = (tx: ConfigTx, job: string): void => tx.due(RECONCILIATION, job, { to: DUE_NOW })
