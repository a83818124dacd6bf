/**
 * What a primary answers about its tree. What does not come to the hash above it is told to nobody: whoever compares would take what it
 * lacks for deleted. Room: serve, for the handlers.
 */
import { KernelError } from '../../../core/base/errors.ts'
import { MOUNT_KEYS, NAMESPACE_KEYS, type SecondaryScope } from '../filters/secondary-scopes.ts'
import { retryUntilStable } from '../log/retry-until-stable.ts'
import type { Member } from '../membership.ts'
import type { ReplicationContext } from '../replication-context.ts'
import { treeIn } from '../state/tree-store.ts'
import { isDamaged } from '../tree/check.ts'
import { answerRequest } from '../tree/diff/answer-request.ts'
import type { Roots } from '../tree/stored-tree.ts'

/**
 * The reply to a request; undefined for bytes that are none.
 * @throws KernelError 503 while the tree is made or others keep changing it, and where it is damaged, upon which it is made anew.
 */
export async function answerTree(
  context: ReplicationContext,
  member: Member,
  view: SecondaryScope,
  request: Uint8Array,
): Promise<Uint8Array | undefined> {
  const { host, treeMaintainer, inspector } = context
  const { value } = await host.kind.treeProgress.read(host.store)
  if (!value || value.building) throw new KernelError('ERR_UNAVAILABLE', 'this cluster is still making its tree')
  try {
    const { reply, hidden } = await retryUntilStable({ host, treeMaintainer }, async (folded, version) => {
      const all = await treeMaintainer.roots.asOf(folded, version)
      const roots = rootsWithin(view, all)
      return {
        reply: await answerRequest({ ...treeIn(host), roots }, request),
        hidden: [...all.keys()].filter((domain) => !roots.has(domain)),
      }
    })
    for (const domain of hidden) await assertDeleted(context, member, view.missingContainerOf(domain))
    return reply
  } catch (error) {
    if (!isDamaged(error)) throw error
    await inspector.handleResult({ findings: [], isRootWrong: true, faults: [], inspectedKeys: 0, next: undefined }, member)
    throw new KernelError('ERR_UNAVAILABLE', 'the hash tree of the primary is damaged: it is made anew')
  }
}

/** Whoever has a part is shown that part alone. */
const rootsWithin = (view: SecondaryScope, roots: Roots): Roots =>
  view.isPartial ? new Map([...roots].filter(([domain]) => view.includes(domain))) : roots

/** The record of a mount or a namespace that is not there was deleted. @throws KernelError 503 where it was taken away otherwise. */
async function assertDeleted({ inspector }: ReplicationContext, member: Member, uuid: string | undefined): Promise<void> {
  if (uuid === undefined) return
  for (const key of [MOUNT_KEYS + uuid, NAMESPACE_KEYS + uuid])
    if (!(await inspector.verifyRecord(key, undefined, member)))
      throw new KernelError(
        'ERR_UNAVAILABLE',
        'a record that says who is to have what is gone from the primary: merkle-check there says more',
      )
}
