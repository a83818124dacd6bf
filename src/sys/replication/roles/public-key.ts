/**
 * Creates a key pair with which this cluster will join a set. If the primary encrypts the activation token for the public key, only this
 * cluster can use the token. The token then contains the keys that this cluster would otherwise request from the primary.
 */
import { conflict } from '../../../core/base/errors.ts'
import { texts } from '../../../core/base/texts.ts'
import { CURVE_25519 } from '../../../core/crypto/curves/curve-code.ts'
import { newKeyPair } from '../channel/key-pair.ts'
import type { ReplicationContext } from '../replication-context.ts'
import { putSecret } from '../state/set-keys.ts'

/** Stores a new key pair, which replaces the previous one, and returns its public key in base64. @throws KernelError 400 on a primary. */
export async function newPublicKey({ membership, host }: ReplicationContext): Promise<string> {
  if (membership.mode === 'primary') throw conflict('the cluster is a primary')
  await CURVE_25519.load()
  const pair = newKeyPair(host.env)
  const secret = pair.copySecretKey()
  await host.store.commit([putSecret(host, 'candidate', secret)])
  secret.fill(0)
  pair.wipe()
  return texts.base64(pair.publicKey)
}
