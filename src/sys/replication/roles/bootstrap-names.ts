/**
 * The mount names and the batch token key that a joining secondary takes over from its primary, for use until the first sync has copied the
 * records themselves.
 *
 * Tokens refer to the mount that created them, and batch tokens are encrypted with the batch token key. The first sync replaces the mounts
 * and the key. If the secondary generated them itself, all tokens that it creates before the end of the first sync would become invalid.
 */
import { BATCH_KEY, BATCH_KEY_BYTES, BATCH_KEY_OWNER } from '../../../core/access/token/batch-token.ts'
import { toHex } from '../../../core/base/identifiers.ts'
import { texts } from '../../../core/base/texts.ts'
import { ROOT_NAMESPACE } from '../../../core/contract/namespace.ts'
import { splitFormat } from '../../../core/contract/record-kind.ts'
import { BUILT_IN_MOUNTS } from '../../../core/kernel/first-records.ts'
import { coreRecordKey } from '../../../core/transaction/core-key.ts'
import type { ReplicationContext } from '../replication-context.ts'
import { bytesMember, listOf, type Message, objectOf, stringMember } from '../wire/message-members.ts'

export interface BootstrapNames {
  readonly mounts: readonly MountName[]
  /** The batch token key in hexadecimal. */
  readonly batch_key: string
}

export interface MountName {
  readonly path: string
  readonly uuid: string
  readonly accessor: string
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/

export const BATCH_KEY_AT = /* @__PURE__ */ coreRecordKey(BATCH_KEY, `${BATCH_KEY_OWNER}/1`)

const isBuiltIn = (path: string): boolean => BUILT_IN_MOUNTS.some((mount) => mount.path === path)

/** Returns the part of the hello answer that contains the names; undefined if the store has no batch token key. */
export async function bootstrapNamesMessage({ internals, host }: ReplicationContext): Promise<Message | undefined> {
  const [key] = await host.store.getMany([BATCH_KEY_AT])
  if (!key) return undefined
  const mounts = internals.topology.mounts
    .of(ROOT_NAMESPACE)
    .filter(({ record }) => isBuiltIn(record.path))
    .map(({ record: { path, uuid, accessor } }) => ({ path, uuid, accessor }))
  return { mounts, batch_key: splitFormat(BATCH_KEY, key.value)[1] }
}

/** Returns undefined if the primary sent no names. @throws KernelError 400 if the message is invalid. */
export function readBootstrapNames(answer: Message): BootstrapNames | undefined {
  if (answer['stand_ins'] === undefined || answer['stand_ins'] === null) return undefined
  const message = objectOf(answer['stand_ins'], 'stand_ins')
  const mounts = listOf(message, 'mounts', BUILT_IN_MOUNTS.length).map((item): MountName => {
    const one = objectOf(item, 'stand_ins')
    return { path: stringMember(one, 'path'), uuid: stringMember(one, 'uuid'), accessor: stringMember(one, 'accessor') }
  })
  const key = bytesMember(message, 'batch_key', BATCH_KEY_BYTES)
  const isWhole =
    BUILT_IN_MOUNTS.every(({ path }) => mounts.some((mount) => mount.path === path)) && key.length === BATCH_KEY_BYTES
  const areNames = mounts.every(({ uuid, accessor }) => NAME.test(uuid) && NAME.test(accessor))
  return isWhole && areNames ? { mounts, batch_key: toHex(key) } : undefined
}

/** Returns the batch token key as bytes. The caller must wipe them. */
export const batchKeyIn = ({ batch_key }: BootstrapNames): Uint8Array => texts.fromHex(batch_key)
