/** The members about replication in the answers of `sys/health` and `sys/leader`. */
import type { OperationContext } from '../../core/contract/operation-context.ts'
import { f } from '../../core/field/fields.ts'
import { CONTROLS } from '../../core/kernel/controls.ts'

export const REPLICATION_FIELDS = {
  replication_performance_mode: f.text(
    'The role in performance replication: `disabled`, `primary`, `secondary` or `bootstrapping`; `unknown` while the kernel is not open.',
  ),
  replication_dr_mode: f.text(
    'The role in disaster recovery replication: `disabled`, `primary`, `secondary` or `bootstrapping`; `unknown` while the kernel is not open.',
  ),
  last_wal: f.int('The index of the newest log entry; absent if replication is disabled.').optional(),
}

export async function replicationOf(asked: OperationContext) {
  const { state, replication } = CONTROLS.of(asked)
  if (state() !== 'open') return { replication_performance_mode: 'unknown', replication_dr_mode: 'unknown' }
  const { mode, dr, ...log } = await replication()
  return { replication_performance_mode: mode, replication_dr_mode: dr, ...log }
}
