/** Compares the Merkle tree of this cluster with the tree of another cluster, by sending requests to the other cluster. */

import { equalBytesAt } from '../hash-list.ts'
import { rootOverAll } from '../levels.ts'
import { readRoots, type StoredTree } from '../stored-tree.ts'
import { Descent } from './descent.ts'
import { type Difference, goneDomain } from './difference.ts'
import { writeFurtherRequest, writeRootsRequest } from './questions.ts'
import { type RootsReply, readRootsReply } from './replies.ts'
import { invalidReply, type SendRequest } from './send-request.ts'

/** The maximum number of domains: far more than the mounts and namespaces of any cluster. */
const MAX_DOMAINS = 1_048_576

/**
 * Yields the differences between the two trees: records that this tree lacks or has with another value, and keys that only this tree has.
 * The differences come in batches, so that they need limited memory. Equal trees cost one round trip, and a single differing key costs
 * four.
 *
 * The tree of this cluster must not change during the comparison. The other tree may change: each yielded difference existed when its
 * bucket was compared.
 *
 * @throws KernelError ERR_UPSTREAM if a reply is invalid; ERR_INTERNAL if a tree record is damaged. Also rejects if `ask` rejects.
 */
export async function* compareTrees(tree: StoredTree, ask: SendRequest): AsyncGenerator<Difference> {
  const own = await readRoots(tree)
  const descent = new Descent(tree, ask)
  const left = [...own.keys()]
  let after = ''
  let seen = 0
  for (let request = writeRootsRequest(rootOverAll(tree.sha256, own)); ; request = writeFurtherRequest(after)) {
    const reply = readRootsReply(await ask(request), after)
    if (reply === 'same') return
    seen += reply?.roots.length ?? 0
    if (!reply || seen > MAX_DOMAINS) throw invalidReply()
    const last = reply.further ? reply.roots.at(-1)![0] : undefined
    // The domains of this tree in the range of names that this reply covers.
    const listed = left.splice(0, last === undefined ? left.length : countUpTo(left, last))
    const theirs = new Set(reply.roots.map(([domain]) => domain))
    const gone = listed.filter((domain) => !theirs.has(domain))
    if (gone.length > 0) yield { fetch: [], delete: [], gone }
    for (const domain of gone) yield* goneDomain(tree, domain)
    yield* descent.compareDomains(differingDomains(reply, own))
    if (last === undefined) return
    after = last
  }
}

function countUpTo(domains: readonly string[], last: string): number {
  const first = domains.findIndex((domain) => domain > last)
  return first < 0 ? domains.length : first
}

const differingDomains = ({ roots }: RootsReply, own: ReadonlyMap<string, Uint8Array>): readonly string[] =>
  roots
    .filter(([domain, root]) => {
      const here = own.get(domain)
      return !here || !equalBytesAt(root, 0, here, 0)
    })
    .map(([domain]) => domain)
