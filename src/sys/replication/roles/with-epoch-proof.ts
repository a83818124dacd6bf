/** Adds a proof to an epoch that this cluster begins. The primary of the previous epoch can verify the proof. */
import { publicKeyFromHex } from '../link.ts'
import type { SetMember } from '../membership.ts'
import { epochMac, ownEpochKey, sharedEpochKey } from '../state/epoch-proof.ts'
import { type Epoch, type EpochProof, lastOf } from '../state/history.ts'
import type { SetHost } from '../state/set-host.ts'
import { loadSecret } from '../state/set-keys.ts'

type EpochFounder = Pick<SetMember, 'relation' | 'keys'>

export async function withEpochProof(host: SetHost, member: EpochFounder, epoch: Epoch): Promise<Epoch> {
  const found = await proofKeyOf(host, member)
  if (!found) return epoch
  const { by, key } = found
  try {
    const scope = { kind: host.kind.name, set: member.relation.set }
    const proof: EpochProof = { by, mac: epochMac(host.env.crypto, key, scope, epoch) }
    return { ...epoch, proof }
  } finally {
    key.fill(0)
  }
}

/**
 * Returns the key for the proof: the key that this cluster shares with the primary that it followed last. If this cluster itself was the
 * last primary, returns its own key.
 */
async function proofKeyOf(
  host: SetHost,
  { relation, keys }: EpochFounder,
): Promise<{ readonly by: string; readonly key: Uint8Array } | undefined> {
  const { upstream, succession, history } = relation
  const { crypto } = host.env
  if (succession?.origin === lastOf(history).origin) {
    const key = await loadSecret(host, 'succession')
    return key && { by: succession.id, key }
  }
  if (!upstream) return { by: '', key: ownEpochKey(crypto, keys.identity) }
  const key = sharedEpochKey(crypto, keys.identity, publicKeyFromHex(upstream.key))
  return key && { by: upstream.id, key }
}
