/**
 * Holds what is stored against the tree, a few records at a time: the tree follows the log, so it knows nothing of values that were
 * changed, taken away or put there behind the kernel's back. The tree then follows the store, and roots that are compared show it.
 */
import { MOST_OPS } from '../../../core/storage/most-ops.ts'
import type { Entry } from '../../../core/storage/port.ts'
import type { Host } from '../../../core/transaction/host.ts'
import type { Fence } from '../../../core/transaction/place.ts'
import { checksOf } from '../../../core/transaction/writes.ts'
import { domainOf } from '../state/domain.ts'
import { type History, originAt } from '../state/history.ts'
import { FOLDED, TREE } from '../state/records.ts'
import { treeIn, treeOps } from '../state/tree-store.ts'
import { entryOf, readBucket } from '../tree/bucket-record.ts'
import { fold, type TreeChange } from '../tree/fold.ts'
import { bucketName, bucketOf } from '../tree/geometry.ts'
import { compareHashes } from '../tree/hash-list.ts'
import type { TreeKeys } from '../tree/tree-keys.ts'
import type { DomainRoots } from './domain-roots.ts'
import { checkpoint, leafOfAny } from './folder.ts'
import { newestEntry } from './log-pages.ts'

export interface ScrubParts {
  readonly host: Host
  readonly keys: TreeKeys
  readonly history: () => History
  readonly roots: DomainRoots
}

/** Records of the store, and buckets of the tree, looked at in one turn. */
const PER_TURN = 32

export class Scrub {
  readonly #parts: ScrubParts
  #afterKey: string | undefined
  #afterBucket: string | undefined

  constructor(parts: ScrubParts) {
    this.#parts = parts
  }

  /** One turn. @returns How many records differed from the tree. */
  async once(fence: Fence): Promise<number> {
    const { host, keys, history, roots } = this.#parts
    const { store } = host
    const { value: folded, version } = await FOLDED.read(store)
    const isLevel = async (): Promise<boolean> => (await newestEntry(store)) === folded?.entry
    if (!folded || folded.building || folded.within > 0 || folded.entry < folded.soundFrom || !(await isLevel())) return 0
    const changes = [...(await this.#stored()), ...(await this.#remembered())]
    // What was written meanwhile is in the store, and not yet in the tree.
    if (changes.length === 0 || !(await isLevel())) return 0
    const tree = treeIn(host)
    const { records } = await fold({ ...tree, keys, domainOf }, changes, MOST_OPS - 4)
    if (records.length === 0) return 0
    const { index } = folded
    const root = await roots.after(records, version)
    const verdict = await store.commit([
      ...treeOps(host, records),
      FOLDED.put(store, { ...folded, root }, version),
      checkpoint(index).put(store, { index, root, origin: originAt(history(), index) }),
      ...checksOf([fence]),
    ])
    if (!verdict.ok) return 0
    roots.committed(verdict.revision)
    return changes.length
  }

  /** Records whose leaf is another one, or none. */
  async #stored(): Promise<readonly TreeChange[]> {
    const { store } = this.#parts.host
    const page = await store.page(
      'r/',
      this.#afterKey === undefined ? { limit: PER_TURN } : { after: this.#afterKey, limit: PER_TURN },
    )
    this.#afterKey = page.length < PER_TURN ? undefined : page.at(-1)?.key
    return this.#differing(page)
  }

  /** Records of a bucket that are not there any more. */
  async #remembered(): Promise<readonly TreeChange[]> {
    const { store } = this.#parts.host
    const after = this.#afterBucket === undefined ? {} : { after: this.#afterBucket }
    const names = await store.list(TREE, { ...after, limit: PER_TURN })
    this.#afterBucket = names.length < PER_TURN ? undefined : names.at(-1)
    const buckets = names.filter((name) => name.split('/')[1] === 'bucket')
    const found = await store.getMany(buckets.map((name) => TREE + name))
    const all = found.flatMap((entry, at) => {
      const [domain = '', , bucket = ''] = (buckets[at] as string).split('/')
      return entry ? readBucket(entry.value, domain, Number.parseInt(bucket, 16)).map(({ key }) => key) : []
    })
    const stored = await store.versions(all)
    return all.flatMap((key, at) => (stored[at] === 0 ? [{ key, leaf: undefined }] : []))
  }

  async #differing(page: readonly Entry[]): Promise<readonly TreeChange[]> {
    const { host, keys } = this.#parts
    const hashes = page.map(({ key }) => keys.hashOf(key))
    const names = page.map(({ key }, at) => bucketName(domainOf(key), bucketOf(hashes[at] as Uint8Array)))
    const buckets = await host.store.getMany(names.map((name) => TREE + name))
    const changes: TreeChange[] = []
    for (const [at, { key, value }] of page.entries()) {
      const hash = hashes[at] as Uint8Array
      const known = entryOf(readBucket(buckets[at]?.value, domainOf(key), bucketOf(hash)), hash)?.leaf
      const leaf = await leafOfAny(host, keys, key, value)
      if (!known || compareHashes(known, leaf) !== 0) changes.push({ key, leaf })
    }
    return changes
  }
}
