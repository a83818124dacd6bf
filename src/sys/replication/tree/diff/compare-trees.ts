/** The asking side of a tree comparison. */

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
 * Yields what the other tree has and this one lacks or has differently, and what only this one has, in pieces that need limited memory.
 * Equal trees cost one round trip, one differing key costs four.
 *
 * The own tree must not change meanwhile. The other tree may change: each difference existed when its bucket was compared.
 *
 * @throws KernelError ERR_UPSTREAM for an invalid reply, ERR_INTERNAL if a record is damaged. Rejections of `ask` are passed on.
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
    // The domains that this reply covers.
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
