/**
 * What the fence says of a commit: a primary of both sets needs the right of each that the commit goes to.
 */
import type { Role } from '../../../core/log/role.ts'
import type { Op } from '../../../core/storage/port.ts'
import type { WriteRight } from '../../../core/transaction/committer.ts'
import type { Center } from '../center.ts'
import { isSentKey } from '../state/kind.ts'
import type { RightToWrite } from './right-to-write.ts'

/** @param centers Both kinds, of one kernel. */
export function rightsOf(centers: readonly Center[]): WriteRight {
  const needed = (role: Role, ops: readonly Op[]): readonly RightToWrite[] =>
    centers.flatMap(({ host: { kind }, right }) =>
      right && kind.partOf(role).mode === 'primary' && ops.some((op) => isSent(kind, op)) ? [right] : [],
    )
  return {
    obtain(role, ops) {
      const asked = needed(role, ops).flatMap((right) => right.obtain() ?? [])
      return asked.length === 0 ? undefined : Promise.all(asked).then(() => {})
    },
    holds: (role, ops) => needed(role, ops).every((right) => right.isHeld),
  }
}

const isSent = (kind: Parameters<typeof isSentKey>[0], op: Op): boolean =>
  op.op !== 'append' && op.op !== 'check' && isSentKey(kind, op.key)
