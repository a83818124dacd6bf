/**
 * Whether what is stored of a tree fits together, a part at a time. Each record is held against the one above it, so a hash that was
 * changed is found at its own level.
 */
import { KernelError } from '../../../core/base/errors.ts'
import { Slices } from '../../../core/base/slices.ts'
import { readBucket, type TreeEntry } from './bucket-record.ts'
import { bucketName, CHILDREN, HASH_BYTES, pageName, type RecordName, rootName } from './geometry.ts'
import { isEmptyAt, sameBytes } from './hash-list.ts'
import { bucketHash, TOP_MICROSECONDS, topOver } from './levels.ts'
import { readPage, readRoot } from './page-records.ts'
import type { StoredTree } from './stored-tree.ts'

/**
 * A record of the tree that is damaged, is missing, or does not come to the hash that stands above it. Without a subpage it is the page's;
 * without a page the domain's.
 */
export interface Finding {
  readonly domain: string
  readonly page?: number
  readonly subpage?: number
}

export interface CheckedPart {
  readonly findings: readonly Finding[]
  /** What the buckets of this part hold. */
  readonly entries: readonly TreeEntry[]
  /** Where the next part begins; undefined behind the last. */
  readonly next: RecordName | undefined
}

/** Entries of each domain so far; NaN where not all of them were seen. */
export type Counts = Map<string, number>

const ENTRY_MICROSECONDS = 6

/** Stands for a record that cannot be opened: no reader takes it. */
const UNREADABLE = new Uint8Array()

/**
 * The part behind a name, of so many records. The tree stands still meanwhile.
 * @param after Undefined: from the first.
 * @param counts Of the parts before, while the tree stood still; whoever begins within a domain says so there.
 */
export async function checkPart(
  tree: StoredTree,
  after: RecordName | undefined,
  most: number,
  counts: Counts,
): Promise<CheckedPart> {
  const listed = await tree.names('', { ...(after === undefined ? {} : { after }), limit: most })
  const part = new PartChecker(
    tree,
    await readOrUnreadable(tree, [...new Set(listed.flatMap((name) => [name, parentOf(name)]))]),
    counts,
  )
  const slices = new Slices(tree.clock)
  for (const name of listed) {
    const before = part.entries.length
    await part.check(name)
    const cost = part.entries.length > before ? (part.entries.length - before) * ENTRY_MICROSECONDS : TOP_MICROSECONDS
    if (slices.spend(cost)) await slices.giveWay()
  }
  return { findings: part.findings, entries: part.entries, next: listed.length < most ? undefined : listed.at(-1) }
}

class PartChecker {
  readonly #tree: StoredTree
  readonly #records: ReadonlyMap<RecordName, Uint8Array | undefined>
  readonly #counts: Counts
  readonly findings: Finding[] = []
  readonly entries: TreeEntry[] = []

  constructor(tree: StoredTree, records: ReadonlyMap<RecordName, Uint8Array | undefined>, counts: Counts) {
    this.#tree = tree
    this.#records = records
    this.#counts = counts
  }

  async check(name: RecordName): Promise<void> {
    const { domain, kind, number } = parseRecordName(name)
    if (kind === 'bucket') this.#checkBucket(domain, number)
    else if (kind === 'page') await this.#checkPage(domain, number)
    else await this.#checkRoot(domain)
  }

  #checkBucket(domain: string, bucket: number): void {
    const [number, subpage] = [bucket >> 8, bucket & 255]
    const entries = undamaged(() => readBucket(this.#records.get(bucketName(domain, bucket)), domain, bucket))
    this.#counts.set(domain, (this.#counts.get(domain) ?? 0) + (entries?.length ?? Number.NaN))
    // Nothing can be held against a page that is damaged, and it is found when it is its turn.
    const page = undamaged(() => readPage(this.#records.get(pageName(domain, number)), domain, number))
    const fits = entries && (!page || sameBytes(bucketHash(this.#tree.sha256, entries), 0, page, subpage * HASH_BYTES))
    if (!fits) this.findings.push({ domain, page: number, subpage })
    this.entries.push(...(entries ?? []))
  }

  async #checkPage(domain: string, page: number): Promise<void> {
    const buckets = undamaged(() => readPage(this.#records.get(pageName(domain, page)), domain, page))
    const root = undamaged(() => readRoot(this.#records.get(rootName(domain)), domain))
    const fits = buckets && (!root || sameBytes(topOver(this.#tree.sha256, buckets), 0, root.pages, page * HASH_BYTES))
    if (!fits) this.findings.push({ domain, page })
    if (!buckets) return
    const prefix = bucketName(domain, page << 8).slice(0, -2)
    for (const subpage of await this.#missing(prefix, buckets)) this.findings.push({ domain, page, subpage })
  }

  async #checkRoot(domain: string): Promise<void> {
    const own = undamaged(() => readRoot(this.#records.get(rootName(domain)), domain))
    const count = this.#counts.get(domain) ?? 0
    const fits =
      own && sameBytes(topOver(this.#tree.sha256, own.pages), 0, own.root, 0) && (Number.isNaN(count) || count === own.keys)
    if (!fits) this.findings.push({ domain })
    if (!own) return
    for (const page of await this.#missing(pageName(domain, 0).slice(0, -2), own.pages)) this.findings.push({ domain, page })
  }

  /** Children that are not empty and have no record. */
  async #missing(prefix: string, children: Uint8Array): Promise<readonly number[]> {
    const names = new Set(await this.#tree.names(prefix, { limit: CHILDREN }))
    return Array.from({ length: CHILDREN }, (_, at) => at).filter(
      (at) => !isEmptyAt(children, at) && !names.has(prefix + at.toString(16).padStart(2, '0')),
    )
  }
}

/** The records of these names; one that cannot be opened is one that no reader takes. */
export async function readOrUnreadable(
  tree: StoredTree,
  names: readonly RecordName[],
): Promise<ReadonlyMap<RecordName, Uint8Array | undefined>> {
  try {
    const found = await tree.read(names)
    return new Map(names.map((name, at) => [name, found[at]]))
  } catch (error) {
    if (!isDamaged(error)) throw error
  }
  const records = new Map<RecordName, Uint8Array | undefined>()
  for (const name of names) {
    const found = await tree.read([name]).catch((error: unknown) => {
      if (!isDamaged(error)) throw error
      return [UNREADABLE]
    })
    records.set(name, found[0])
  }
  return records
}

export interface TreeLocation {
  readonly domain: string
  readonly kind: string
  readonly number: number
}

export function parseRecordName(name: RecordName): TreeLocation {
  const [domain = '', kind = '', number = '0'] = name.split('/')
  return { domain, kind, number: Number.parseInt(number, 16) }
}

function parentOf(name: RecordName): RecordName {
  const { domain, kind, number } = parseRecordName(name)
  return kind === 'bucket' ? pageName(domain, number >> 8) : rootName(domain)
}

export const isDamaged = (error: unknown): boolean => error instanceof KernelError && error.code === 'ERR_INTERNAL'

/** What `read` returns; undefined where it refuses a record as damaged. */
export function undamaged<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (isDamaged(error)) return undefined
    throw error
  }
}
