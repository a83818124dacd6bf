/** The rotation that is due. Room: sys. Imported by the system's jobs. */
import { rotateInTime } from '../../core/seal/rotation.ts'
import { systemOf } from '../../core/system.ts'
import type { Tx } from '../../core/transaction/tx.ts'

export function rotateKeyringInTime(tx: Tx): void {
  const { keeper } = systemOf(tx).sealing
  rotateInTime(tx, keeper.parts.barrier.ring.active, (from) => keeper.rotate(from))
}
