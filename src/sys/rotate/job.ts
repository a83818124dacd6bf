/** The rotation that is due. Room: sys. Imported by the system's jobs. */

import { CONTROLS } from '../../core/controls.ts'
import { rotateInTime } from '../../core/seal/rotation.ts'
import type { Tx } from '../../core/transaction/tx.ts'

export function rotateKeyringInTime(tx: Tx): void {
  const { keeper } = CONTROLS.of(tx).sealing
  rotateInTime(tx, keeper.parts.barrier.ring.active, (from) => keeper.rotate(from))
}
