/**
 * Merkle trees in memory.
 */
import { createHash } from 'node:crypto'
import { systemClock } from '../../../src/core/base/clock.ts'
import { nobleCrypto } from '../../../src/core/crypto/noble/index.ts'
import type { TreeEntry } from '../../../src/sys/replication/tree/bucket-record.ts'
import { buildPages } from '../../../src/sys/replication/tree/build.ts'
import { answerRequest } from '../../../src/sys/replication/tree/diff/answer-request.ts'
import { type FoldTarget, fold } from '../../../src/sys/replication/tree/fold.ts'
import type { RecordWrite } from '../../../src/sys/replication/tree/geometry.ts'
import { rootOverAll } from '../../../src/sys/replication/tree/levels.ts'
import { readRoots, type StoredTree } from '../../../src/sys/replication/tree/stored-tree.ts'
import { TreeKeys } from '../../../src/sys/replication/tree/tree-keys.ts'
import { domainOf, SET_KEY } from './naive-tree.ts'

export const keys = new TreeKeys(SET_KEY, nobleCrypto())

const sha256 = nobleCrypto().hash('sha2-256')

export type Store = ReadonlyMap<string, Uint8Array>

const leaf = (text: string): Uint8Array => new Uint8Array(createHash('sha1').update(text).digest())

export const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

export interface MemoryTree extends StoredTree, FoldTarget {
  readonly records: Map<string, Uint8Array>
  write(records: readonly RecordWrite[]): void
  /** All records, in hexadecimal. */
  shown(): Record<string, string>
}

export function memoryTree(): MemoryTree {
  const records = new Map<string, Uint8Array>()
  return {
    records,
    keys,
    sha256,
    clock: systemClock,
    domainOf,
    async read(names) {
      if (names.length > 512) throw new Error('too many names')
      return names.map((name) => records.get(name)?.slice())
    },
    async names(prefix, { after = '', limit }) {
      const all = [...records.keys()].filter((name) => name.startsWith(prefix) && name > after)
      return all.sort().slice(0, limit)
    },
    async domains() {
      return [...new Set([...records.keys()].map(domainOf))].reverse()
    },
    write(writes) {
      if (new Set(writes.map(({ name }) => name)).size !== writes.length) throw new Error('a record is written twice')
      for (const { name, bytes } of writes) {
        if (bytes) records.set(name, bytes)
        else if (!records.delete(name)) throw new Error(`${name} is deleted, but is not there`)
      }
    },
    shown: () => Object.fromEntries([...records].map(([name, bytes]) => [name, hex(bytes)])),
  }
}

/** Folds all changes, at most `most` records at a time. Returns the number of written records. */
export async function foldAll(tree: MemoryTree, changes: Iterable<readonly [string, Uint8Array | undefined]>, most: number) {
  let left = [...changes].map(([key, plaintext]) => ({ key, leaf: plaintext && keys.leafOf(key, plaintext) }))
  let written = 0
  while (left.length > 0) {
    const { records, took } = await fold(tree, left, most)
    if (took < 1 || records.length > most) throw new Error('a fold kept no bound')
    tree.write(records)
    written += records.length
    left = left.slice(took)
  }
  return written
}

/** The tree of a store, built in bulk. */
export async function built(store: Store, options: { most?: number; mostBytes?: number } = {}): Promise<MemoryTree> {
  const tree = memoryTree()
  await buildInto(
    tree,
    function* (hashOf) {
      for (const [key, plaintext] of store) {
        const hash = hashOf(key)
        if (hash) yield { hash, leaf: keys.leafOf(key, plaintext), key }
      }
    },
    options,
  )
  return tree
}

type Walk = (hashOf: (key: string) => Uint8Array | undefined) => Iterable<TreeEntry>

export async function buildInto(tree: MemoryTree, walk: Walk, { most = 100, mostBytes }: { most?: number; mostBytes?: number }) {
  const options = mostBytes === undefined ? { recordsPerBatch: most } : { recordsPerBatch: most, maxBytes: mostBytes }
  for await (const records of buildPages({ ...tree, walk }, options)) {
    if (records.length > most) throw new Error('a build kept no bound')
    tree.write(records)
  }
}

export function copyOf(tree: MemoryTree): MemoryTree {
  const copy = memoryTree()
  for (const [name, bytes] of tree.records) copy.records.set(name, bytes)
  return copy
}

/** A tree with entries `core/<number>`, each with a version. Their hashes are invented and belong to one bucket. */
export async function bucketTree(entries: Iterable<readonly [number: number, version: number]>): Promise<MemoryTree> {
  const tree = memoryTree()
  await buildInto(
    tree,
    function* () {
      for (const [at, version] of entries) {
        const hash = leaf(`hash ${at}`)
        hash.set([3, 4])
        yield { hash, leaf: leaf(`leaf ${at} ${version}`), key: `core/${at}` }
      }
    },
    {},
  )
  return tree
}

export const rootOf = async (tree: MemoryTree): Promise<string> => hex(rootOverAll(sha256, await readRoots(tree)))

/** The answer of a tree with its actual roots. */
export const answerOf = async (tree: StoredTree, request: Uint8Array): Promise<Uint8Array | undefined> =>
  answerRequest({ ...tree, roots: await readRoots(tree) }, request)

/** A tree with `size` invented keys and leaves in `domains` domains, most of them in the first. */
export async function large(size: number, domains: number): Promise<MemoryTree> {
  const tree = memoryTree()
  await buildInto(
    tree,
    function* (hashOf) {
      for (let at = 0; at < size; at++) {
        const key = largeKey(at, at % 20 === 0 ? (at / 20) % domains : 0)
        const hash = hashOf(key)
        if (hash) yield { hash, leaf: leaf(key), key }
      }
    },
    { most: 1_000, mostBytes: 400_000_000 },
  )
  return tree
}

export const largeKey = (at: number, domain: number): string =>
  `${domain.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000/data/record-${at}`
