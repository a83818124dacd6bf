/**
 * Keeps the key with which a secondary can later prove an epoch of its own to the primary that it is about to leave. The key is stored
 * separately, because the key pair from which it is derived is replaced when the secondary changes its primary.
 */
import type { Op } from '../../../core/storage/port.ts'
import { publicKeyFromHex } from '../link.ts'
import type { SetMember } from '../membership.ts'
import { sharedEpochKey } from '../state/epoch-proof.ts'
import { lastOf } from '../state/history.ts'
import type { Relation } from '../state/records.ts'
import type { SetHost } from '../state/set-host.ts'
import { putSecret } from '../state/set-keys.ts'

interface KeptSuccession {
  readonly succession: Pick<Relation, 'succession'>
  readonly ops: readonly Op[]
}

const NOTHING: KeptSuccession = { succession: {}, ops: [] }

/**
 * Returns the changes that store the key. The result is empty if the secondary follows no primary, or if the key for the current epoch is
 * stored already.
 */
export function keptSuccession(host: SetHost, { relation, keys }: Pick<SetMember, 'relation' | 'keys'>): KeptSuccession {
  const { upstream, succession, history } = relation
  const { origin } = lastOf(history)
  if (!upstream || succession?.origin === origin) return NOTHING
  const key = sharedEpochKey(host.env.crypto, keys.identity, publicKeyFromHex(upstream.key))
  if (!key) return NOTHING
  try {
    return { succession: { succession: { origin, id: upstream.id } }, ops: [putSecret(host, 'succession', key)] }
  } finally {
    key.fill(0)
  }
}
