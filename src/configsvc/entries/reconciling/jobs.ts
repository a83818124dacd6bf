/**
 * The work of reconciliation: after a change of an entry, find what it concerns; make what a gateway serves. What is to be done twice is due
 * once: all work is due at the same time, so equal ids are one entry.
 */
import type { ConfigTx } from '../../call.ts'
import type { EntryKindName } from '../kind.ts'
import { segmentOf } from '../store/entry-records.ts'

export const RECONCILIATION = 'reconciliation'

/** First segments of ids. In this order they run: a gateway is made when all changes are looked at that may concern it. */
export const ENTRY_JOB = 'entry'
export const GATEWAY_JOB = 'gateway'

const DUE_NOW = 0

/** @param after What has been dealt with up to here, as `<kind>/<name>`. */
export const entryJob = (namespace: string, kind: EntryKindName, name: string, after?: string): string =>
  [ENTRY_JOB, namespace, kind, segmentOf(name), ...(after === undefined ? [] : [after])].join('/')

export const gatewayJob = (namespace: string, name: string): string => `${GATEWAY_JOB}/${namespace}/${segmentOf(name)}`

export const scheduleJob = (tx: ConfigTx, job: string): void => tx.due(RECONCILIATION, job, { to: DUE_NOW })
