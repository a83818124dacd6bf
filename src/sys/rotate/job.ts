/** The background work that rotates the barrier key automatically. */
import type { Tx } from '../../core/contract/tx.ts'
import { CONTROLS } from '../../core/kernel/controls.ts'
import { rotateIfDue } from '../../core/seal/rotation.ts'

export function rotateKeyringIfDue(tx: Tx): void {
  const { keeper } = CONTROLS.of(tx).sealing
  rotateIfDue(tx, keeper.parts.barrier.ring.active, (from) => keeper.rotate(from))
}
