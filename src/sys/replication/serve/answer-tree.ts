/**
 * Answers a secondary's requests for nodes of the Merkle tree. A node is never sent if its hash does not match the hash in its parent,
 * because the secondary would delete all records that are missing in the node.
 */
import { KernelError } from '../../../core/base/errors.ts'
import { MOUNT_KEYS, NAMESPACE_KEYS, type SecondaryScope } from '../filters/secondary-scopes.ts'
import { retryUntilStable } from '../log/retry-until-stable.ts'
import type { SetMember } from '../membership.ts'
import type { ReplicationContext } from '../replication-context.ts'
import { treeIn } from '../state/tree-store.ts'
import { isDamaged } from '../tree/check.ts'
import { answerRequest } from '../tree/diff/answer-request.ts'
import type { Roots } from '../tree/stored-tree.ts'

/**
 * Returns the reply to a request; undefined if the request is invalid.
 *
 * @throws KernelError 503 if the tree is being built or changed, if it is damaged, or if a record that a path filter depends on is missing.
 * Damage also starts a rebuild of the tree.
 */
export async function answerTree(
  context: ReplicationContext,
  member: SetMember,
  scope: SecondaryScope,
  request: Uint8Array,
): Promise<Uint8Array | undefined> {
  const { host, treeMaintainer, inspector } = context
  const { value } = await host.kind.treeProgress.read(host.store)
  if (!value || value.building) throw new KernelError('ERR_UNAVAILABLE', 'this cluster is still building its Merkle tree')
  try {
    const { reply, hidden } = await retryUntilStable({ host, treeMaintainer }, async (treeProgress, version) => {
      const all = await treeMaintainer.roots.asOf(treeProgress, version)
      const roots = rootsWithin(scope, all)
      return {
        reply: await answerRequest({ ...treeIn(host), roots }, request),
        hidden: [...all.keys()].filter((domain) => !roots.has(domain)),
      }
    })
    for (const domain of hidden) await assertDeleted(context, member, scope.missingContainerOf(domain))
    return reply
  } catch (error) {
    if (!isDamaged(error)) throw error
    await inspector.handleResult({ findings: [], isRootWrong: true, faults: [], inspectedKeys: 0, next: undefined }, member)
    throw new KernelError('ERR_UNAVAILABLE', 'the Merkle tree of the primary is damaged and will be rebuilt')
  }
}

/** Returns the roots that the secondary may see. A filtered secondary sees only the domains in its scope. */
const rootsWithin = (scope: SecondaryScope, roots: Roots): Roots =>
  scope.isPartial ? new Map([...roots].filter(([domain]) => scope.includes(domain))) : roots

/** Checks that a mount or namespace without a record was deleted by a commit. @throws KernelError 503 if its record was lost instead. */
async function assertDeleted({ inspector }: ReplicationContext, member: SetMember, uuid: string | undefined): Promise<void> {
  if (uuid === undefined) return
  for (const key of [MOUNT_KEYS + uuid, NAMESPACE_KEYS + uuid])
    if (!(await inspector.verifyRecord(key, undefined, member)))
      throw new KernelError(
        'ERR_UNAVAILABLE',
        'a record that a path filter depends on is missing on the primary: run merkle-check on the primary',
      )
}
