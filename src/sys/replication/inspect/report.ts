/**
 * Converts the result of a check to the format of Vault's API. Vault has two trees, identified by numbers. Here, each domain has a tree of its
 * own, and the report combines the trees of many domains: a page is damaged if it is damaged in any of these trees.
 */
import { rfc3339 } from '../../../core/base/clock.ts'
import { texts } from '../../../core/base/texts.ts'
import type { Hash } from '../../../core/crypto/backend.ts'
import { isLocalDomain, type ReplicationKind } from '../state/replication-kind.ts'
import { rootOverAll } from '../tree/levels.ts'
import type { StoredCheck } from './stored-inspections.ts'

export interface CorruptedPage {
  /** Whether the hash of the page is wrong. Buckets below a page can be wrong even if its hash is right. */
  readonly corrupted: boolean
  /** The numbers of the damaged buckets below the page; null if no bucket is damaged. */
  readonly subpages: readonly number[] | null
}

export interface CorruptedTree {
  /** `replicated`: the records of this tree are sent to every secondary. `local`: they are sent only to DR secondaries. */
  readonly tree_type: 'replicated' | 'local'
  /** The root hash of the tree: 20 bytes in base64. */
  readonly root_hash: string
  /** Whether the root of a mount or a namespace is wrong. */
  readonly corrupted_subtree_root: boolean
  /** The damaged pages, by page number (0 to 255); null if no page is damaged. */
  readonly corrupted_index_tuples_map: Readonly<Record<string, CorruptedPage>> | null
}

export interface CorruptionReport {
  /** Whether the root over all trees is wrong. */
  readonly corrupted_root: boolean
  /** The trees, by number. Tree `1` covers the records that are sent to every secondary, tree `2` those that are sent only to DR secondaries. */
  readonly corrupted_tree_map: Readonly<Record<string, CorruptedTree>>
  /** RFC 3339. */
  readonly last_corruption_check_epoch: string
}

export type DomainRoot = readonly [domain: string, root: Uint8Array]

export interface ReportContext {
  readonly kind: ReplicationKind
  readonly sha256: Hash
  /** The roots of all domains. */
  readonly roots: readonly DomainRoot[]
  /** Milliseconds. */
  readonly at: number
  /** Returns the hash of a storage key. The first two bytes of the hash are the page and the subpage. */
  readonly hashOf: (key: string) => Uint8Array
}

type ReportedFaults = Pick<StoredCheck, 'findings' | 'faults' | 'isRootWrong'>

export function reportOf(wrong: ReportedFaults, shown: ReportContext): CorruptionReport {
  const isSent = shown.kind.sends.includes('l/')
  return {
    corrupted_root: wrong.isRootWrong,
    corrupted_tree_map: {
      '1': treeOf('replicated', wrong, shown),
      ...(isSent ? { '2': treeOf('local', wrong, shown) } : {}),
    },
    last_corruption_check_epoch: rfc3339(shown.at),
  }
}

function treeOf(
  tree_type: CorruptedTree['tree_type'],
  { findings, faults }: ReportedFaults,
  shown: ReportContext,
): CorruptedTree {
  const { kind, sha256, roots, hashOf } = shown
  const isOf = (domain: string): boolean => isLocalDomain(kind, domain) === (tree_type === 'local')
  const own = findings.filter(({ domain }) => isOf(domain))
  const pages = new Map<number, { corrupted: boolean; readonly subpages: Set<number> }>()
  const pageOf = (page: number) => {
    const found = pages.get(page) ?? { corrupted: false, subpages: new Set() }
    pages.set(page, found)
    return found
  }
  for (const { page, subpage } of own) {
    if (page === undefined) continue
    if (subpage === undefined) pageOf(page).corrupted = true
    else pageOf(page).subpages.add(subpage)
  }
  for (const { key } of faults) {
    if (!isOf(kind.domainOf(key))) continue
    const [page = 0, subpage = 0] = hashOf(key)
    pageOf(page).subpages.add(subpage)
  }
  const sorted = [...pages].sort(([a], [b]) => a - b)
  return {
    tree_type,
    root_hash: texts.base64(
      rootOverAll(
        sha256,
        roots.filter(([domain]) => isOf(domain)),
      ),
    ),
    corrupted_subtree_root: own.some(({ page }) => page === undefined),
    corrupted_index_tuples_map:
      sorted.length > 0 ? Object.fromEntries(sorted.map(([page, found]) => [String(page), shownPage(found)])) : null,
  }
}

const shownPage = ({
  corrupted,
  subpages,
}: {
  readonly corrupted: boolean
  readonly subpages: ReadonlySet<number>
}): CorruptedPage => ({
  corrupted,
  subpages: subpages.size > 0 ? sortedNumbers(subpages) : null,
})

const sortedNumbers = (numbers: Iterable<number>): readonly number[] => [...numbers].sort((a, b) => a - b)

/** Merges the reports about the performance set and the DR set. In both reports, tree `1` covers the same records. */
export function mergeReports(a: CorruptionReport, b: CorruptionReport): CorruptionReport {
  const trees = new Map(Object.entries(a.corrupted_tree_map))
  for (const [number, tree] of Object.entries(b.corrupted_tree_map)) {
    const other = trees.get(number)
    trees.set(number, other ? mergeTrees(other, tree) : tree)
  }
  return {
    corrupted_root: a.corrupted_root || b.corrupted_root,
    corrupted_tree_map: Object.fromEntries(trees),
    last_corruption_check_epoch: b.last_corruption_check_epoch,
  }
}

function mergeTrees(a: CorruptedTree, b: CorruptedTree): CorruptedTree {
  const pages = new Map(Object.entries(a.corrupted_index_tuples_map ?? {}))
  for (const [number, page] of Object.entries(b.corrupted_index_tuples_map ?? {})) {
    const other = pages.get(number)
    const subpages = new Set([...(other?.subpages ?? []), ...(page.subpages ?? [])])
    pages.set(number, shownPage({ corrupted: page.corrupted || other?.corrupted === true, subpages }))
  }
  return {
    ...a,
    corrupted_subtree_root: a.corrupted_subtree_root || b.corrupted_subtree_root,
    corrupted_index_tuples_map: pages.size > 0 ? Object.fromEntries(pages) : null,
  }
}
