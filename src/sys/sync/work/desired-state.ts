/** The desired external state of an association, which is read in one transaction. */
import type { Environment } from '../../../core/contract/environment.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import type { SyncDestination } from '../port.ts'
import { storeOf } from '../ports.ts'
import {
  type Association,
  readAssociationId,
  readDestinationId,
  SYNC_ASSOCIATION,
  SYNC_DESTINATION,
  SYNC_OUTBOX,
  type SyncDestinationRecord,
  type SyncRow,
  secretId,
} from '../records.ts'
import { desiredValues, liveSecret } from './live.ts'
import { WHOLE_SECRET } from './value.ts'

export interface DesiredState {
  /** When the state was read, in milliseconds since 1970. */
  readonly now: number
  readonly association: Association
  /** Undefined if the destination was deleted, or if this kernel has no store of its type. */
  readonly destination: SyncDestinationRecord | undefined
  /** `OutboxEntry.seq` of the secret; 0 if it has no outbox entry. */
  readonly changes: number
  /** When the current version expires, in milliseconds since 1970. */
  readonly until: number | undefined
  /** The desired external values, keyed by key of the secret. If the secret cannot be pushed: a string that states the violated rule. */
  readonly values: ReadonlyMap<string, string> | string
}

const NOTHING: ReadonlyMap<string, string> = /* @__PURE__ */ new Map()

/** Returns undefined if the association was deleted. */
export function readDesiredState(tx: Tx, id: string): DesiredState | undefined {
  const association = tx.get(SYNC_ASSOCIATION, id)
  if (!association) return undefined
  const name = readAssociationId(id)
  const destination = tx.get(SYNC_DESTINATION, name.destination)
  const store = storeIfConfigured(tx.env, name.destination)
  const changes = tx.get(SYNC_OUTBOX, secretId(name))?.seq ?? 0
  const live = association.gone ? undefined : liveSecret(tx, name)
  return {
    now: tx.now,
    association,
    destination: store && destination,
    changes,
    until: live?.until,
    values: live && store ? desiredValues(tx, live, association.granularity, store.rules) : NOTHING,
  }
}

/** Returns undefined if no external secret is desired. */
export function desiredValueOf(row: SyncRow, { association, values }: DesiredState): string | undefined {
  if (association.gone || row.gone || typeof values === 'string') return undefined
  return values.get(row.key ?? WHOLE_SECRET)
}

export function storeIfConfigured(env: Environment, destination: string): SyncDestination | undefined {
  try {
    return storeOf(env, readDestinationId(destination).type)
  } catch {
    return undefined
  }
}
