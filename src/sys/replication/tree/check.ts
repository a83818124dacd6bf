/**
 * Checks the consistency of a stored tree, a limited number of records per call. Each record is compared only with the hash in its parent,
 * so a finding names exactly the record that is wrong.
 */
import { KernelError } from '../../../core/base/errors.ts'
import { Slices } from '../../../core/base/slices.ts'
import { readBucket, type TreeEntry } from './bucket-record.ts'
import { bucketName, CHILDREN, HASH_BYTES, pageName, type RecordName, rootName } from './geometry.ts'
import { equalBytesAt, isEmptyAt } from './hash-list.ts'
import { bucketHash, TOP_MICROSECONDS, topOver } from './levels.ts'
import { readTreePage, readTreeRoot } from './page-records.ts'
import type { StoredTree } from './stored-tree.ts'

/**
 * A tree record that is damaged, missing, or does not match the hash in its parent. The record belongs to a bucket if `subpage` is present,
 * to a page if only `page` is present, and otherwise to the root of a domain.
 */
export interface Finding {
  readonly domain: string
  readonly page?: number
  readonly subpage?: number
}

export interface CheckedPart {
  readonly findings: readonly Finding[]
  /** The entries in the buckets that this call checked. */
  readonly entries: readonly TreeEntry[]
  /** The name of the last checked record, after which the next call must continue; undefined if all records were checked. */
  readonly next: RecordName | undefined
}

/** The number of entries counted so far for each domain; NaN if some entries of the domain could not be counted. */
export type EntryCounts = Map<string, number>

const ENTRY_MICROSECONDS = 6

/** Used instead of a record that cannot be decrypted. Every function that decodes a tree record reports these bytes as damaged. */
const UNREADABLE = new Uint8Array()

/**
 * Checks the next records after the name `after`. The caller must make sure that the tree does not change during the call.
 *
 * @param after The `next` of the previous call; undefined to start with the first record.
 * @param most The maximum number of tree records to check.
 * @param counts The entry counts of the previous calls, to which this call adds. The tree must not have changed since those calls. If the
 * first call started in the middle of a domain, the count of that domain must be NaN.
 */
export async function checkPart(
  tree: StoredTree,
  after: RecordName | undefined,
  most: number,
  counts: EntryCounts,
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
  readonly #counts: EntryCounts
  readonly findings: Finding[] = []
  readonly entries: TreeEntry[] = []

  constructor(tree: StoredTree, records: ReadonlyMap<RecordName, Uint8Array | undefined>, counts: EntryCounts) {
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
    // If the page is damaged, skip the comparison with the page. The check of the page itself reports the damage.
    const page = undamaged(() => readTreePage(this.#records.get(pageName(domain, number)), domain, number))
    const fits = entries && (!page || equalBytesAt(bucketHash(this.#tree.sha256, entries), 0, page, subpage * HASH_BYTES))
    if (!fits) this.findings.push({ domain, page: number, subpage })
    this.entries.push(...(entries ?? []))
  }

  async #checkPage(domain: string, page: number): Promise<void> {
    const buckets = undamaged(() => readTreePage(this.#records.get(pageName(domain, page)), domain, page))
    const root = undamaged(() => readTreeRoot(this.#records.get(rootName(domain)), domain))
    const fits = buckets && (!root || equalBytesAt(topOver(this.#tree.sha256, buckets), 0, root.pages, page * HASH_BYTES))
    if (!fits) this.findings.push({ domain, page })
    if (!buckets) return
    const prefix = bucketName(domain, page << 8).slice(0, -2)
    for (const subpage of await this.#missing(prefix, buckets)) this.findings.push({ domain, page, subpage })
  }

  async #checkRoot(domain: string): Promise<void> {
    const own = undamaged(() => readTreeRoot(this.#records.get(rootName(domain)), domain))
    const count = this.#counts.get(domain) ?? 0
    const fits =
      own && equalBytesAt(topOver(this.#tree.sha256, own.pages), 0, own.root, 0) && (Number.isNaN(count) || count === own.keys)
    if (!fits) this.findings.push({ domain })
    if (!own) return
    for (const page of await this.#missing(pageName(domain, 0).slice(0, -2), own.pages)) this.findings.push({ domain, page })
  }

  /** Returns the numbers of the children that have a hash but no stored record. */
  async #missing(prefix: string, children: Uint8Array): Promise<readonly number[]> {
    const names = new Set(await this.#tree.names(prefix, { limit: CHILDREN }))
    return Array.from({ length: CHILDREN }, (_, at) => at).filter(
      (at) => !isEmptyAt(children, at) && !names.has(prefix + at.toString(16).padStart(2, '0')),
    )
  }
}

/** Reads records. A record that cannot be decrypted is replaced by bytes that every decoder reports as damaged. */
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

/** Returns the result of `read`, or undefined if it reports a damaged record. */
export function undamaged<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (isDamaged(error)) return undefined
    throw error
  }
}
