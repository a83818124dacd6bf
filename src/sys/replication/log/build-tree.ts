/** Builds the Merkle tree from the store. */
import { toHex } from '../../../core/base/identifiers.ts'
import { MAX_COMMIT_OPS } from '../../../core/storage/max-commit-ops.ts'
import type { Fence } from '../../../core/transaction/keyspace.ts'
import { checksOf } from '../../../core/transaction/pending-writes.ts'
import { deleteBelow } from '../state/delete-below.ts'
import type { TreeProgress } from '../state/records.ts'
import type { SetHost } from '../state/set-host.ts'
import { treeIn, treeOps } from '../state/tree-store.ts'
import type { TreeEntry } from '../tree/bucket-record.ts'
import { buildPages } from '../tree/build.ts'
import { rootOverAll } from '../tree/levels.ts'
import { readRoots } from '../tree/stored-tree.ts'
import type { TreeKeys } from '../tree/tree-keys.ts'
import { newestEntry } from './log-pages.ts'
import { leafOrUnreadable } from './tree-updater.ts'

const RECORDS_PER_PAGE = 64

/** Deletes the old or incomplete tree, and builds a new one. Returns false if another kernel now maintains the tree. */
export async function buildTree(host: SetHost, keys: TreeKeys, fence: Fence): Promise<boolean> {
  const { store, clock, kind } = host
  const checks = checksOf([fence])
  if (!(await deleteBelow(host, kind.tree, { also: checks }))) return false
  const tree = treeIn(host)
  const walk = (hashOf: (key: string) => Uint8Array | undefined) => entriesOf(host, keys, hashOf)
  for await (const records of buildPages(
    { keys, sha256: tree.sha256, clock, domainOf: kind.domainOf, walk },
    { recordsPerBatch: MAX_COMMIT_OPS - 1 },
  )) {
    const { ok } = await store.commit([...treeOps(host, records), ...checks])
    if (!ok) return false
  }
  const roots = await readRoots(tree)
  const { value, version } = await kind.treeProgress.read(store)
  if (!value) return false
  const { building: _, ...rest } = value
  const next: TreeProgress = { ...rest, validFrom: await newestEntry(store), root: toHex(rootOverAll(tree.sha256, roots)) }
  return (await store.commit([kind.treeProgress.put(store, next, version), ...checks])).ok
}

async function* entriesOf(
  host: SetHost,
  keys: TreeKeys,
  hashOf: (key: string) => Uint8Array | undefined,
): AsyncGenerator<TreeEntry> {
  for (const prefix of host.kind.sends) yield* entriesBelow(prefix, host, keys, hashOf)
}

async function* entriesBelow(
  prefix: string,
  host: SetHost,
  keys: TreeKeys,
  hashOf: (key: string) => Uint8Array | undefined,
): AsyncGenerator<TreeEntry> {
  const { store, clock, env } = host
  for (let after: string | undefined; ; ) {
    env.closing.throwIfAborted()
    const page = await store.page(prefix, after === undefined ? { limit: RECORDS_PER_PAGE } : { after, limit: RECORDS_PER_PAGE })
    for (const { key, value } of page) {
      const hash = hashOf(key)
      if (hash) yield { hash, key, leaf: await leafOrUnreadable(host, keys, key, value) }
    }
    const last = page.at(-1)
    if (!last || page.length < RECORDS_PER_PAGE) return
    after = last.key
    await clock.sleep(0)
  }
}
