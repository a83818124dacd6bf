/**
 * The salt and the key of a sink that the application gave: made when the sink is first used.
 */
import { KernelError } from '../base/errors.ts'
import { splitFormat, withFormat } from '../contract/record-kind.ts'
import { coreKey } from '../mount/topology.ts'
import type { Host } from '../transaction/host.ts'
import { newSecret, SECRET, SECRET_VERSION } from './records.ts'

const keyOf = (owner: string): string => `${coreKey(SECRET)}${owner}/${SECRET_VERSION}`

/** The secret stored for an owner; the caller wipes it. */
export async function storedSecret({ store }: Host, owner: string): Promise<Uint8Array | undefined> {
  const [entry] = await store.getMany([keyOf(owner)])
  return entry && splitFormat(SECRET, entry.value)[1]
}

/** The same, made where there is none. Of several processes that make one, the first wins. */
export async function ownSecret(host: Host, owner: string): Promise<Uint8Array> {
  const known = await storedSecret(host, owner)
  if (known) return known
  const made = newSecret(host.env.entropy)
  const stored = withFormat(SECRET.format, made)
  made.fill(0)
  await host.store.commit([host.store.sealed(keyOf(owner), stored, 0)])
  stored.fill(0)
  const secret = await storedSecret(host, owner)
  if (!secret) throw new KernelError('ERR_UNAVAILABLE', 'the secret of an audit sink could not be stored')
  return secret
}
