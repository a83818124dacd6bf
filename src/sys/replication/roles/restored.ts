/**
 * A store that was restored from a backup is an earlier state than the one that others may have followed.
 */
import { RESTORED_KEY } from '../../../core/storage/backup.ts'
import type { Op } from '../../../core/storage/port.ts'
import type { Center } from '../center.ts'
import { headOf } from '../serve/hello.ts'
import { newOrigin } from '../state/history.ts'
import { FOLLOWING } from '../state/records.ts'

/**
 * A primary begins an epoch, so that nobody takes its new records for those that came behind the backup; a secondary compares. Either makes
 * up for uses of keys that were counted behind the backup.
 */
export async function noteRestored(center: Center): Promise<void> {
  const { host, membership } = center
  const { store, env } = host
  const [version] = await store.versions([RESTORED_KEY])
  if (version === undefined || version === 0) return
  const over: Op = { op: 'del', key: RESTORED_KEY, expect: version }
  const member = await membership.current()
  if (member && membership.mode === 'primary') {
    const { relation } = member
    const epoch = relation.max_epoch + 1
    const begun = {
      epoch,
      origin: newOrigin(env.entropy),
      start: await headOf(host, relation.history),
      rebase: true,
    } as const
    const next = { ...relation, max_epoch: epoch, history: [...relation.history, begun] }
    await store.commit([
      membership.roleOp({ mode: 'primary', epoch, origin: begun.origin }, membership.gapsWithOneMore),
      membership.relationOp(next, member.version),
      over,
    ])
    membership.doubt()
    await membership.edit((now) => ({ ...now }))
    return
  }
  const { value, version: followed } = await FOLLOWING.read(store)
  const { mode, epoch, origin } = membership.role
  // Where everything is being cleared away, counters go, too.
  const gap = mode === 'bootstrapping' ? [] : [membership.roleOp({ mode, epoch, origin }, membership.gapsWithOneMore)]
  await store.commit([over, ...gap, ...(value ? [FOLLOWING.put(store, { ...value, differs: true }, followed)] : [])])
}
