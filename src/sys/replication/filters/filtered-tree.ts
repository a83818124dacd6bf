/**
 * A tree as whoever has a part of it is shown it: the rest is not there.
 */
import { CORE } from '../../../core/transaction/core-key.ts'
import type { StoredTree } from '../tree/stored-tree.ts'
import type { View } from './views.ts'

const domainIn = (name: string): string => name.slice(0, name.indexOf('/'))

export function filteredTree(tree: StoredTree, view: View): StoredTree {
  if (!view.isPartial) return tree
  return {
    ...tree,
    domains: async () => (await tree.domains()).filter((domain) => view.has(domain)),
    async read(names) {
      const found = await tree.read(names)
      return found.map((bytes, at) => (view.has(domainIn(names[at] ?? CORE)) ? bytes : undefined))
    },
  }
}
