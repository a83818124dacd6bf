/** The automatic rotation of the barrier key. */
import type { Tx } from '../../core/contract/tx.ts'
import { CONTROLS } from '../../core/kernel/controls.ts'
import { rotateInTime } from '../../core/seal/rotation.ts'

export function rotateKeyringInTime(tx: Tx): void {
  const { keeper } = CONTROLS.of(tx).sealing
  rotateInTime(tx, keeper.parts.barrier.ring.active, (from) => keeper.rotate(from))
}
