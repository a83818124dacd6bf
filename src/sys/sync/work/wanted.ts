/**
 * What is wanted outside of an association, read at one moment.
 */
import type { Environment, Tx } from '../../../core/contract/tx.ts'
import type { SyncDestination } from '../port.ts'
import { storeOf } from '../ports.ts'
import {
  ASSOCIATION,
  type Association,
  DESTINATION,
  type Destination,
  OUTBOX,
  readAssociationId,
  readDestinationId,
  secretId,
} from '../records.ts'
import { liveSecret, wantedValues } from './live.ts'

export interface Wanted {
  /** Milliseconds. */
  readonly now: number
  readonly association: Association
  /** Undefined where it is gone, or this kernel has no store of its type. */
  readonly destination: Destination | undefined
  /** Changes of the secret that the outbox has counted. */
  readonly changes: number
  /** Milliseconds: when what is live deletes itself. */
  readonly until: number | undefined
  /** By key; a text is the rule that the secret breaks. */
  readonly values: ReadonlyMap<string, string> | string
}

const NOTHING: ReadonlyMap<string, string> = /* @__PURE__ */ new Map()

/** Undefined: the association is gone. */
export function readWanted(tx: Tx, id: string): Wanted | undefined {
  const association = tx.get(ASSOCIATION, id)
  if (!association) return undefined
  const name = readAssociationId(id)
  const destination = tx.get(DESTINATION, name.destination)
  const store = storeHere(tx.env, name.destination)
  const changes = tx.get(OUTBOX, secretId(name))?.seq ?? 0
  const live = association.gone ? undefined : liveSecret(tx, name)
  return {
    now: tx.now,
    association,
    destination: store && destination,
    changes,
    until: live?.until,
    values: live && store ? wantedValues(tx, live, association.granularity, store.rules) : NOTHING,
  }
}

export function storeHere(env: Environment, destination: string): SyncDestination | undefined {
  try {
    return storeOf(env, readDestinationId(destination).type)
  } catch {
    return undefined
  }
}
