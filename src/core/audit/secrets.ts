/**
 * The stored salts and keys of sinks. That of a sink that the application gave is made when the sink is first used.
 */
import { KernelError } from '../base/errors.ts'
import { type SecretKind, splitFormat, withFormat } from '../contract/record-kind.ts'
import { coreKey } from '../mount/topology.ts'
import type { Host } from '../transaction/host.ts'
import { newAuditSecret, SECRET_VERSION, SINK_SECRET } from './records.ts'

const keyOf = (kind: SecretKind, owner: string): string => `${coreKey(kind)}${owner}/${SECRET_VERSION}`

/** The secret stored for a device's id or a sink's name; the caller wipes it. */
export async function storedSecret({ store }: Host, kind: SecretKind, owner: string): Promise<Uint8Array | undefined> {
  const [entry] = await store.getMany([keyOf(kind, owner)])
  return entry && splitFormat(kind, entry.value)[1]
}

/** The same of a sink that the application gave, made where there is none. Of several processes that make one, the first wins. */
export async function sinkSecret(host: Host, name: string): Promise<Uint8Array> {
  const known = await storedSecret(host, SINK_SECRET, name)
  if (known) return known
  const made = newAuditSecret(host.env.entropy)
  const stored = withFormat(SINK_SECRET.format, made)
  made.fill(0)
  await host.store.commit([host.store.sealed(keyOf(SINK_SECRET, name), stored, 0)])
  stored.fill(0)
  const secret = await storedSecret(host, SINK_SECRET, name)
  if (!secret) throw new KernelError('ERR_UNAVAILABLE', 'the secret of an audit sink could not be stored')
  return secret
}
