/** The stored salts and chain keys of sinks. For a sink of the application, they are created when the sink is first used. */
import { KernelError } from '../base/errors.ts'
import type { CoreSecretKind } from '../contract/core-record.ts'
import { splitFormat, withFormat } from '../contract/record-kind.ts'
import { coreRecordKey } from '../transaction/core-key.ts'
import type { Host } from '../transaction/host.ts'
import { newAuditSecret, SECRET_VERSION, SINK_SECRET } from './records.ts'

const keyOf = (kind: CoreSecretKind, owner: string): string => coreRecordKey(kind, `${owner}/${SECRET_VERSION}`)

/**
 * The secret of a device, or of a sink of the application; undefined if it is not stored. The caller must wipe the secret.
 * @param owner The id of the device, or the name of the sink.
 */
export async function storedSecret({ store }: Host, kind: CoreSecretKind, owner: string): Promise<Uint8Array | undefined> {
  const [entry] = await store.getMany([keyOf(kind, owner)])
  return entry && splitFormat(kind, entry.value)[1]
}

/**
 * The secret of a sink of the application. Creates the secret if it is missing. If several processes create it concurrently, all of them
 * use the secret that was committed first.
 */
export async function sinkSecret(host: Host, name: string): Promise<Uint8Array> {
  const known = await storedSecret(host, SINK_SECRET, name)
  if (known) return known
  const made = newAuditSecret(host.env.entropy)
  const stored = withFormat(SINK_SECRET.format, made)
  made.fill(0)
  await host.store.commit([host.store.encryptedPut(keyOf(SINK_SECRET, name), stored, 0)])
  stored.fill(0)
  const secret = await storedSecret(host, SINK_SECRET, name)
  if (!secret) throw new KernelError('ERR_UNAVAILABLE', 'the secret of an audit sink could not be stored; retry')
  return secret
}
