/**
 * What a secondary says when it greets.
 */
import type { LinkMessage } from '../link.ts'
import { LAYOUT } from '../serve/hello.ts'
import type { Relation } from '../state/records.ts'
import { plainHistory } from '../wire/read-messages.ts'
import type { ReportedCount } from '../wire/reported-counts.ts'

/** What it holds; nothing where it only looks who answers. */
export interface HelloState {
  readonly applied: number
  /** UUIDs of shared mounts that it has leases below. */
  readonly leases: readonly string[]
  readonly counts: readonly ReportedCount[]
  /** Where the answer is to go on with counts. */
  readonly counts_after: string
  /** UUID of this cluster; empty where it does not matter. */
  readonly cluster: string
}

const NOTHING: HelloState = { applied: 0, leases: [], counts: [], counts_after: '', cluster: '' }

export const helloMessage = (
  { set, history }: Pick<Relation, 'set' | 'history'>,
  { address, api }: { readonly address: string; readonly api: string },
  held = NOTHING,
): LinkMessage => ({ kind: 'hello', set, layout: LAYOUT, history: plainHistory(history), address, api, ...held })
