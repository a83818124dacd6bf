/** What `sys/health` and `sys/leader` tell of replication. */
import type { Asked } from '../../core/contract/operation.ts'
import { f } from '../../core/field/fields.ts'
import { CONTROLS } from '../../core/kernel/controls.ts'

export const REPLICATION_FIELDS = {
  replication_performance_mode: f.text('`disabled`, `primary`, `secondary` or `bootstrapping`; `unknown` while sealed.'),
  replication_dr_mode: f.text('The same for disaster recovery.'),
  last_wal: f.int('The index of the newest record in the log, where replication is on.').optional(),
}

export async function replicationOf(asked: Asked) {
  const { state, replication } = CONTROLS.of(asked)
  if (state() !== 'open') return { replication_performance_mode: 'unknown', replication_dr_mode: 'unknown' }
  const { mode, dr, ...log } = await replication()
  return { replication_performance_mode: mode, replication_dr_mode: dr, ...log }
}
