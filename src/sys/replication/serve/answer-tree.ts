/**
 * What a primary answers about its tree. What does not come to the hash above it is told to nobody: whoever compares would take what it
 * lacks for deleted. Room: serve, for the handlers.
 */
import { KernelError } from '../../../core/base/errors.ts'
import type { Center } from '../center.ts'
import { MOUNT_KEYS, NAMESPACE_KEYS, type View } from '../filters/views.ts'
import { steadily } from '../log/steadily.ts'
import type { Member } from '../membership.ts'
import { treeIn } from '../state/tree-store.ts'
import { isDamaged } from '../tree/check.ts'
import { answer } from '../tree/diff/answer.ts'
import type { Roots } from '../tree/stored-tree.ts'

/**
 * The reply to a request; undefined for bytes that are none.
 * @throws KernelError 503 while the tree is made or others keep changing it, and where it is damaged, upon which it is made anew.
 */
export async function answerTree(
  center: Center,
  member: Member,
  view: View,
  request: Uint8Array,
): Promise<Uint8Array | undefined> {
  const { host, upkeep, inspector } = center
  const { value } = await host.kind.folded.read(host.store)
  if (!value || value.building) throw new KernelError('ERR_UNAVAILABLE', 'this cluster is still making its tree')
  try {
    const { reply, hidden } = await steadily({ host, upkeep }, async (folded, version) => {
      const all = await upkeep.roots.asOf(folded, version)
      const roots = seenBy(view, all)
      return {
        reply: await answer({ ...treeIn(host), roots }, request),
        hidden: [...all.keys()].filter((domain) => !roots.has(domain)),
      }
    })
    for (const domain of hidden) await mustLackRightly(center, member, view.lackOf(domain))
    return reply
  } catch (error) {
    if (!isDamaged(error)) throw error
    await inspector.act({ findings: [], isRootWrong: true, faults: [], looked: 0, next: undefined }, member)
    throw new KernelError('ERR_UNAVAILABLE', 'the hash tree of the primary is damaged: it is made anew')
  }
}

/** Whoever has a part is shown that part alone. */
const seenBy = (view: View, roots: Roots): Roots =>
  view.isPartial ? new Map([...roots].filter(([domain]) => view.has(domain))) : roots

/** The record of a mount or a namespace that is not there was deleted. @throws KernelError 503 where it was taken away otherwise. */
async function mustLackRightly({ inspector }: Center, member: Member, uuid: string | undefined): Promise<void> {
  if (uuid === undefined) return
  for (const key of [MOUNT_KEYS + uuid, NAMESPACE_KEYS + uuid])
    if (!(await inspector.vouchesFor(key, undefined, member)))
      throw new KernelError(
        'ERR_UNAVAILABLE',
        'a record that says who is to have what is gone from the primary: merkle-check there says more',
      )
}
