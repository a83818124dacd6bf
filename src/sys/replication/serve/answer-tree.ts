/**
 * Answers questions about the Merkle tree. Nodes that do not match the hash above them are never sent, because the asking cluster would
 * delete records that are missing in them.
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
 * @throws KernelError 503 while the tree is being built or changed, and if the tree is damaged. Damage also starts a rebuild.
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

/** A filtered secondary sees only the domains in its scope. */
const rootsWithin = (scope: SecondaryScope, roots: Roots): Roots =>
  scope.isPartial ? new Map([...roots].filter(([domain]) => scope.includes(domain))) : roots

/** Checks that the record of a missing mount or namespace was deleted by a commit. @throws KernelError 503 if the record was lost. */
async function assertDeleted({ inspector }: ReplicationContext, member: SetMember, uuid: string | undefined): Promise<void> {
  if (uuid === undefined) return
  for (const key of [MOUNT_KEYS + uuid, NAMESPACE_KEYS + uuid])
    if (!(await inspector.verifyRecord(key, undefined, member)))
      throw new KernelError(
        'ERR_UNAVAILABLE',
        'a record that a path filter depends on is missing on the primary: run merkle-check on the primary',
      )
}
