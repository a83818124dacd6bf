/**
 * The names that a secondary begins with, until its first synchronization brings the records themselves: those of the primary's own
 * mounts, and its key for batch tokens.
 *
 * Tokens name the mount that made them, and batch tokens are sealed under that key. With names of its own a secondary would lose all
 * tokens that it makes before the first synchronization has ended.
 */
import { BATCH_KEY, BATCH_KEY_BYTES, BATCH_KEY_OWNER } from '../../../core/access/token/batch-token.ts'
import { toHex } from '../../../core/base/identifiers.ts'
import { texts } from '../../../core/base/texts.ts'
import { ROOT_NAMESPACE } from '../../../core/contract/namespace.ts'
import { splitFormat } from '../../../core/contract/record-kind.ts'
import { BUILT_IN_MOUNTS } from '../../../core/kernel/first-records.ts'
import { keyOf } from '../../../core/transaction/core-key.ts'
import type { ReplicationContext } from '../replication-context.ts'
import { bytesOf, listOf, type Message, objectOf, textOf } from '../wire/message-members.ts'

export interface BootstrapNames {
  readonly mounts: readonly MountName[]
  /** Hexadecimal. */
  readonly batch_key: string
}

export interface MountName {
  readonly path: string
  readonly uuid: string
  readonly accessor: string
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/

export const BATCH_KEY_AT = /* @__PURE__ */ keyOf(BATCH_KEY, `${BATCH_KEY_OWNER}/1`)

const isBuiltIn = (path: string): boolean => BUILT_IN_MOUNTS.some((mount) => mount.path === path)

/** As a primary answers a cluster that joins. Undefined if the key cannot be read. */
export async function bootstrapNamesMessage({ internals, host }: ReplicationContext): Promise<Message | undefined> {
  const [key] = await host.store.getMany([BATCH_KEY_AT])
  if (!key) return undefined
  const mounts = internals.topology.mounts
    .of(ROOT_NAMESPACE)
    .filter(({ record }) => isBuiltIn(record.path))
    .map(({ record: { path, uuid, accessor } }) => ({ path, uuid, accessor }))
  return { mounts, batch_key: splitFormat(BATCH_KEY, key.value)[1] }
}

/** Undefined if the primary sent none. @throws KernelError 400 for what no primary sends. */
export function readBootstrapNames(answer: Message): BootstrapNames | undefined {
  if (answer['stand_ins'] === undefined || answer['stand_ins'] === null) return undefined
  const message = objectOf(answer['stand_ins'], 'stand_ins')
  const mounts = listOf(message, 'mounts', BUILT_IN_MOUNTS.length).map((item): MountName => {
    const one = objectOf(item, 'stand_ins')
    return { path: textOf(one, 'path'), uuid: textOf(one, 'uuid'), accessor: textOf(one, 'accessor') }
  })
  const key = bytesOf(message, 'batch_key', BATCH_KEY_BYTES)
  const isWhole =
    BUILT_IN_MOUNTS.every(({ path }) => mounts.some((mount) => mount.path === path)) && key.length === BATCH_KEY_BYTES
  const areNames = mounts.every(({ uuid, accessor }) => NAME.test(uuid) && NAME.test(accessor))
  return isWhole && areNames ? { mounts, batch_key: toHex(key) } : undefined
}

/** The caller wipes it. */
export const batchKeyIn = ({ batch_key }: BootstrapNames): Uint8Array => texts.fromHex(batch_key)
