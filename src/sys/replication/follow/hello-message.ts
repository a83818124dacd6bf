import type { LinkMessage } from '../link.ts'
import { LAYOUT } from '../serve/hello.ts'
import type { Relation } from '../state/records.ts'
import { plainHistory } from '../wire/read-messages.ts'
import type { ReportedCount } from '../wire/reported-counts.ts'

/** The state that a hello reports. A hello that is sent only to find out which cluster answers reports `NOTHING`. */
export interface HelloState {
  readonly applied: number
  /** UUIDs of replicated mounts below which this cluster has leases. */
  readonly leases: readonly string[]
  readonly counts: readonly ReportedCount[]
  /** The name of the count record after which the page of usage counts in the answer should begin; empty for the first page. */
  readonly counts_after: string
  /** The UUID of this cluster; empty if the primary does not need it. */
  readonly cluster: string
}

const NOTHING: HelloState = { applied: 0, leases: [], counts: [], counts_after: '', cluster: '' }

export const helloMessage = (
  { set, history }: Pick<Relation, 'set' | 'history'>,
  { address, api }: { readonly address: string; readonly api: string },
  held = NOTHING,
): LinkMessage => ({ kind: 'hello', set, layout: LAYOUT, history: plainHistory(history), address, api, ...held })
