/**
 * Replaces the built-in mounts of a joining cluster with those of the primary. One commit does this, because a cluster without `sys/` answers
 * no requests. The UUIDs must be those of the primary, because every token belongs to the mount that created it.
 */
import { KernelError } from '../../../core/base/errors.ts'
import { MOUNT, type MountRecord } from '../../../core/contract/mount-record.ts'
import { ROOT_NAMESPACE } from '../../../core/contract/namespace.ts'
import { decodeRecord } from '../../../core/contract/record-kind.ts'
import { coreRecordKey } from '../../../core/transaction/core-key.ts'
import { isBuiltInMount } from '../filters/filter-rules.ts'
import type { SentOp } from '../serve/fetch.ts'

export const isBuiltInRootMount = ({ namespace, path }: MountRecord): boolean =>
  namespace === ROOT_NAMESPACE.uuid && isBuiltInMount(path)

/**
 * Completes the changes of built-in mounts, so that exactly one mount remains at each path even if the Merkle tree of this cluster or of the
 * primary is damaged and lacks a mount.
 *
 * @param ops The changes of built-in mounts that the comparison found.
 * @param own The built-in mounts of this cluster.
 * @throws KernelError ERR_UPSTREAM if a mount would be removed for which the primary has no replacement.
 */
export function mountExchangeOps(ops: readonly SentOp[], own: readonly MountRecord[]): readonly SentOp[] {
  const coming = new Set(ops.flatMap(({ value }) => (value ? [decodeRecord(MOUNT, value).path] : [])))
  const found = new Map(ops.map((op) => [op.key, op]))
  const staying = new Set(own.filter(({ uuid }) => !found.has(coreRecordKey(MOUNT, uuid))).map(({ path }) => path))
  for (const { uuid, path } of own) {
    const key = coreRecordKey(MOUNT, uuid)
    if (coming.has(path)) {
      if (!found.has(key)) found.set(key, { key })
    } else if (found.has(key) && !staying.has(path))
      throw new KernelError('ERR_UPSTREAM', `the Merkle tree of the primary has no mount at ${path}`)
  }
  return [...found.values()]
}
