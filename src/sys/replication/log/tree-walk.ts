/**
 * Holds the stored tree against itself, a few records at a time: where a hash is not what the records below it come to, comparisons pass
 * over what differs there.
 */
import { Slices } from '../../../core/base/slices.ts'
import type { Host } from '../../../core/transaction/host.ts'
import { TREE } from '../state/records.ts'
import { treeIn } from '../state/tree-store.ts'
import { readBucket } from '../tree/bucket-record.ts'
import { bucketName, CHILDREN, HASH_BYTES, pageName, type RecordName, rootName } from '../tree/geometry.ts'
import { isEmptyAt, isSame } from '../tree/hash-list.ts'
import { bucketHash, TOP_MICROSECONDS, topOver } from '../tree/levels.ts'
import { readPage, readRoot } from '../tree/page-records.ts'
import { isDamage } from './log-pages.ts'

/** Records looked at in one turn. */
const PER_TURN = 32

/** Records below these that are looked for in one turn, beside those of the last one. */
const MOST_BELOW = 256

type Records = ReadonlyMap<RecordName, Uint8Array | undefined>

export class TreeWalk {
  readonly #host: Host
  #after: string | undefined

  constructor(host: Host) {
    this.#host = host
  }

  /** One turn. Nobody else writes the tree meanwhile. @returns Whether these records fit to those above and below them. */
  async once(): Promise<boolean> {
    const listed = await this.#host.store.list(TREE, {
      ...(this.#after === undefined ? {} : { after: this.#after }),
      limit: PER_TURN,
    })
    try {
      const all = [...new Set([...listed, ...listed.map(aboveOf)])]
      const found = await treeIn(this.#host).read(all)
      const records = new Map(all.map((name, at) => [name, found[at]]))
      const below: RecordName[] = []
      const slices = new Slices(this.#host.clock)
      let looked = 0
      for (const name of listed) {
        if (below.length > MOST_BELOW) break
        if (!this.#fits(name, records)) return false
        if (slices.spend(TOP_MICROSECONDS)) await slices.giveWay()
        below.push(...belowOf(name, records.get(name)))
        looked++
      }
      this.#after = looked < PER_TURN && looked === listed.length ? undefined : listed[looked - 1]
      // They are judged when it is their turn.
      const versions = await this.#host.store.versions(below.map((name) => TREE + name))
      return versions.every((version) => version > 0)
    } catch (error) {
      if (isDamage(error)) return false
      throw error
    }
  }

  #fits(name: RecordName, records: Records): boolean {
    const sha256 = this.#host.env.crypto.hash('sha2-256')
    const { domain, kind, number } = partsOf(name)
    const [own, above] = [records.get(name), records.get(aboveOf(name))]
    if (kind === 'bucket') {
      const hash = bucketHash(sha256, readBucket(own, domain, number))
      return isSame(hash, 0, readPage(above, domain, number >> 8), (number & 255) * HASH_BYTES)
    }
    if (kind === 'page')
      return isSame(topOver(sha256, readPage(own, domain, number)), 0, readRoot(above, domain).pages, number * HASH_BYTES)
    const { root, pages } = readRoot(own, domain)
    return isSame(topOver(sha256, pages), 0, root, 0)
  }
}

function partsOf(name: RecordName): { readonly domain: string; readonly kind: string; readonly number: number } {
  const [domain = '', kind = '', number = '0'] = name.split('/')
  return { domain, kind, number: Number.parseInt(number, 16) }
}

function aboveOf(name: RecordName): RecordName {
  const { domain, kind, number } = partsOf(name)
  return kind === 'bucket' ? pageName(domain, number >> 8) : rootName(domain)
}

function belowOf(name: RecordName, bytes: Uint8Array | undefined): readonly RecordName[] {
  const { domain, kind, number } = partsOf(name)
  if (kind === 'bucket') return []
  const children = kind === 'page' ? readPage(bytes, domain, number) : readRoot(bytes, domain).pages
  const full = Array.from({ length: CHILDREN }, (_, at) => at).filter((at) => !isEmptyAt(children, at))
  return full.map((at) => (kind === 'page' ? bucketName(domain, (number << 8) | at) : pageName(domain, at)))
}
