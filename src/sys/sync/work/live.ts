/** Reads the current version of a secret from the engine of the secret's mount. */

import { runToEnd } from '../../../core/base/steps.ts'
import { parseJsonDocument } from '../../../core/contract/document.ts'
import type { LiveSecret } from '../../../core/contract/live-secrets.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { isSmall } from '../../../core/json/json-size.ts'
import { memberNames } from '../../../core/json/wide-object.ts'
import { runInMount } from '../../../core/mount/run-in-mount.ts'
import { TOPOLOGY } from '../../../core/mount/topology.ts'
import type { SyncGranularity, SyncRules } from '../port.ts'
import type { AssociationName } from '../records.ts'
import { SYNC_TRANSACTIONS } from '../sync-transactions.ts'
import { MAX_SECRET_KEYS, pushedValuesOf, sizeRuleBroken } from './value.ts'

/** Returns undefined if the secret has no current version or the mount was disabled. `tx` must be a read transaction. */
export function liveSecret(tx: Tx, { mount: uuid, path }: Pick<AssociationName, 'mount' | 'path'>): LiveSecret | undefined {
  const mount = TOPOLOGY.of(tx).mounts.byId(uuid)
  const secrets = mount?.engine.secrets
  return mount && secrets ? runInMount(tx, mount, (inner) => secrets.live(inner, path)) : undefined
}

/**
 * Returns the desired external values, keyed by key of the secret. If the secret cannot be pushed: a string that states the violated rule.
 */
export function desiredValues(
  tx: Tx,
  { text }: LiveSecret,
  granularity: SyncGranularity,
  rules: SyncRules,
): ReadonlyMap<string, string> | string {
  const rule = sizeRuleBroken(text, granularity, rules)
  if (rule !== undefined) return rule
  const document = parseJsonDocument(tx, text, 'secret')
  const most = granularity === 'secret-key' ? MAX_SECRET_KEYS : Number.POSITIVE_INFINITY
  let keys = 0
  for (const _ of memberNames(document)) if (++keys > most) return `it must have at most ${most} keys`
  return isSmall(document)
    ? runToEnd(pushedValuesOf(document, granularity))
    : tx.steps('values', () => pushedValuesOf(document, granularity), 'attempt')
}

export interface LiveKeys {
  /** The keys of the current version. With granularity secret-path, a single `undefined`, which means the secret as a whole. */
  readonly keys: readonly (string | undefined)[]
  /** The rule that the secret violates; absent if it can be pushed. */
  readonly rule?: string
}

/**
 * Returns the keys of the secret's current version; undefined if there is no current version. They are read in a separate transaction, each
 * time that `tx` runs. The commit does not fail if the secret changes meanwhile, because that change writes an outbox entry.
 */
export function liveKeys(tx: Tx, name: AssociationName, granularity: SyncGranularity, rules: SyncRules): LiveKeys | undefined {
  const look = () =>
    SYNC_TRANSACTIONS.of(tx).read((read): LiveKeys | undefined => {
      const live = liveSecret(read, name)
      if (!live) return undefined
      if (granularity === 'secret-path') {
        const rule = sizeRuleBroken(live.text, granularity, rules)
        return { keys: [undefined], ...(rule === undefined ? {} : { rule }) }
      }
      const values = desiredValues(read, live, granularity, rules)
      return typeof values === 'string' ? { keys: [], rule: values } : { keys: [...values.keys()] }
    })
  return tx.once(`live ${name.destination}/${name.mount}/${name.path}`, look, 'attempt')
}
