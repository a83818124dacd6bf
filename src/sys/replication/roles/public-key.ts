/**
 * Creates a key pair for the next activation, so that the token can be encrypted to this cluster and activation needs no call to the
 * primary.
 */
import { conflict } from '../../../core/base/errors.ts'
import { texts } from '../../../core/base/texts.ts'
import { newKeyPair } from '../channel/key-pair.ts'
import type { ReplicationContext } from '../replication-context.ts'
import { putSecret } from '../state/set-keys.ts'

/** Replaces the previous key pair. @throws KernelError 400 on a primary. */
export async function newPublicKey({ membership, host }: ReplicationContext): Promise<string> {
  if (membership.mode === 'primary') throw conflict('the cluster is a primary')
  const pair = newKeyPair(host.env)
  const secret = pair.copySecretKey()
  await host.store.commit([putSecret(host, 'candidate', secret)])
  secret.fill(0)
  pair.wipe()
  return texts.base64(pair.publicKey)
}
