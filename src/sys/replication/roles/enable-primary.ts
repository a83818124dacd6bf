/** Makes a cluster the primary of a new set. */
import { conflict } from '../../../core/base/errors.ts'
import { uuid } from '../../../core/base/identifiers.ts'
import { X25519_BYTES } from '../../../core/crypto/backend.ts'
import { newestEntry } from '../log/log-pages.ts'
import { roleConflict } from '../membership.ts'
import type { ReplicationContext } from '../replication-context.ts'
import { newOrigin } from '../state/history.ts'
import { newName, type Relation, unbuiltTree } from '../state/records.ts'
import { putSecret } from '../state/set-keys.ts'
import { writeFirstRecord } from './first-record.ts'
import { forgetPeers } from './forget-peers.ts'

const SET_KEY_BYTES = 32

/** @throws KernelError 400 unless this kind of replication is disabled. */
export async function enablePrimary(context: ReplicationContext, address: string): Promise<void> {
  const { membership, host } = context
  const { store, env, kind } = host
  await store.commits.loadRole()
  const set = uuid(env.entropy.bytes(16))
  if (membership.mode === 'disabled') {
    // Delete peers of the previous set that a crash may have left.
    if (!(await forgetPeers(host, kind, store.commits.roleFence))) throw roleConflict()
    // Test the fence register first: if it does not answer, the cluster could not write anything after the commit below.
    await context.writeLease?.registerOf(set).read()
  }
  const entry = await newestEntry(store)
  // Await nothing between these checks and the commit. Then the commit fails if the role differs from the role that was checked.
  if (membership.mode === 'primary') throw conflict('the cluster is already a primary')
  if (membership.mode !== 'disabled') throw conflict('the cluster is a secondary: promote it instead')
  const origin = newOrigin(env.entropy)
  const relation: Relation = {
    set,
    history: [{ epoch: 1, origin, start: 0 }],
    name: newName(host),
    max_epoch: 1,
    primary_cluster_addr: address,
    mode: 'primary',
  }
  const secrets = [env.entropy.bytes(SET_KEY_BYTES), env.entropy.bytes(X25519_BYTES)] as const
  const { ok } = await store.commit([
    membership.roleOp({ mode: 'primary', epoch: 1, origin }),
    membership.relationOp(relation),
    putSecret(host, 'set', secrets[0]),
    putSecret(host, 'identity', secrets[1]),
    kind.treeProgress.put(store, unbuiltTree(entry)),
  ])
  for (const bytes of secrets) bytes.fill(0)
  membership.invalidate()
  if (!ok) throw roleConflict()
  await writeFirstRecord(context)
  await context.applyRole()
  host.events.publishKernelEvent('replication.mode_changed', { kind: kind.name, mode: 'primary' })
}
