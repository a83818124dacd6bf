/**
 * Mounts that every store has: those of a cluster that joins make room for the primary's. Without `sys/` a cluster answers nobody, and
 * tokens are of the mount that made them.
 */
import { KernelError } from '../../../core/base/errors.ts'
import { MOUNT, type MountRecord } from '../../../core/contract/mount-record.ts'
import { ROOT_NAMESPACE } from '../../../core/contract/namespace.ts'
import { decodeRecord } from '../../../core/contract/record-kind.ts'
import { keyOf } from '../../../core/transaction/core-key.ts'
import { isBuiltIn } from '../filters/filter-rules.ts'
import type { SentOp } from '../serve/fetch.ts'

export const isBuiltInRootMount = ({ namespace, path }: MountRecord): boolean =>
  namespace === ROOT_NAMESPACE.uuid && isBuiltIn(path)

/**
 * What is to happen to mounts of every store: each path is left with one, whatever the trees say. A damaged tree may have lost a mount on
 * either side.
 * @param ops Of the records of such mounts, as the comparison found them. @param own The mounts of every store that are here.
 * @throws KernelError ERR_UPSTREAM where one is to go and the primary has none in its place.
 */
export function mountExchangeOps(ops: readonly SentOp[], own: readonly MountRecord[]): readonly SentOp[] {
  const coming = new Set(ops.flatMap(({ value }) => (value ? [decodeRecord(MOUNT, value).path] : [])))
  const found = new Map(ops.map((op) => [op.key, op]))
  const staying = new Set(own.filter(({ uuid }) => !found.has(keyOf(MOUNT, uuid))).map(({ path }) => path))
  for (const { uuid, path } of own) {
    const key = keyOf(MOUNT, uuid)
    if (coming.has(path)) {
      if (!found.has(key)) found.set(key, { key })
    } else if (found.has(key) && !staying.has(path))
      throw new KernelError('ERR_UPSTREAM', `the hash tree of the primary has no mount at ${path}`)
  }
  return [...found.values()]
}
