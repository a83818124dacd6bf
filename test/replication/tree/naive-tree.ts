/**
 * A second implementation of the Merkle tree, without regard to effort: computes everything from a map of keys and plaintexts.
 */
import { createHash, createHmac } from 'node:crypto'

export const SET_KEY = new Uint8Array(32).fill(7)

const ZERO = '00'.repeat(20)

const hmac = (...pieces: (string | Uint8Array)[]): string => {
  const mac = createHmac('sha256', SET_KEY)
  for (const piece of pieces) mac.update(piece)
  return mac.digest('hex').slice(0, 40)
}

const sha = (hex: string): string => createHash('sha256').update(Buffer.from(hex, 'hex')).digest('hex').slice(0, 40)

const uint = (value: number, bytes: number): string => value.toString(16).padStart(2 * bytes, '0')

const hexOf = (text: string): string => Buffer.from(text).toString('hex')

export const naiveKeyHash = (key: string): string => hmac('bucket', key)

export const naiveLeaf = (key: string, plaintext: Uint8Array): string =>
  hmac('leaf', Buffer.from(uint(Buffer.byteLength(key), 4), 'hex'), key, plaintext)

/** The first segment of a key. */
export const domainOf = (key: string): string => key.split('/')[0] as string

const over = (hashes: readonly string[]): string => (hashes.every((hash) => hash === ZERO) ? ZERO : sha(hashes.join('')))

/** The hash of a page or the root of a domain. */
const overAll = (hashes: readonly string[]): string =>
  over(Array.from({ length: 16 }, (_, at) => over(hashes.slice(16 * at, 16 * at + 16))))

const sparse = (hashes: readonly string[]): string => {
  const bits = hashes.map((hash) => (hash === ZERO ? '0' : '1')).join('')
  const bitmap = bits.match(/.{8}/g)!.map((eight) => uint(Number.parseInt(eight, 2), 1))
  return bitmap.join('') + hashes.filter((hash) => hash !== ZERO).join('')
}

interface Naive {
  readonly records: Readonly<Record<string, string>>
  readonly roots: ReadonlyMap<string, string>
  /** The root over all domains. */
  readonly root: string
}

/** All stored records, by name, and the roots, in hexadecimal. */
export function naiveTree(store: ReadonlyMap<string, Uint8Array>): Naive {
  const records: Record<string, string> = {}
  const roots = new Map<string, string>()
  for (const domain of [...new Set([...store.keys()].map(domainOf))].sort()) {
    const keys = [...store.keys()].filter((key) => domainOf(key) === domain)
    const buckets = new Map<string, { hash: string; leaf: string; key: string }[]>()
    for (const key of keys) {
      const hash = naiveKeyHash(key)
      const bucket = buckets.get(hash.slice(0, 4)) ?? []
      bucket.push({ hash, leaf: naiveLeaf(key, store.get(key) as Uint8Array), key })
      buckets.set(hash.slice(0, 4), bucket)
    }
    const pages = Array.from({ length: 256 }, (_, page) => {
      const hashes = Array.from({ length: 256 }, (_, subpage) => {
        const number = uint(page, 1) + uint(subpage, 1)
        const entries = buckets.get(number)?.sort((a, b) => (a.hash < b.hash ? -1 : 1))
        if (!entries) return ZERO
        const written = entries.map(({ hash, leaf, key }) => hash + leaf + uint(Buffer.byteLength(key), 2) + hexOf(key))
        records[`${domain}/bucket/${number}`] = `01${written.join('')}`
        return sha(entries.map(({ hash, leaf }) => hash + leaf).join(''))
      })
      if (hashes.some((hash) => hash !== ZERO)) records[`${domain}/page/${uint(page, 1)}`] = `01${sparse(hashes)}`
      return overAll(hashes)
    })
    roots.set(domain, overAll(pages))
    records[`${domain}/root`] = `01${overAll(pages)}${uint(keys.length, 6)}${sparse(pages)}`
  }
  const pairs = [...roots].map(([domain, root]) => uint(domain.length, 1) + hexOf(domain) + root)
  return { records, roots, root: sha(pairs.join('')) }
}
