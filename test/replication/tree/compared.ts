/**
 * Compares two trees, and counts the messages.
 */
import { expect } from 'vitest'
import { compareTrees } from '../../../src/sys/replication/tree/diff/compare-trees.ts'
import type { StoredTree } from '../../../src/sys/replication/tree/stored-tree.ts'
import { domainOf, naiveKeyHash, naiveLeaf } from './naive-tree.ts'
import { answerOf, built, hex, type Store } from './support.ts'

export interface Compared {
  /** Lines of `<domain> <hash>`, sorted. */
  readonly fetch: readonly string[]
  readonly delete: readonly string[]
}

export interface Counted extends Compared {
  readonly roundTrips: number
  readonly bytes: number
  /** The largest number of differences in one piece. */
  readonly largest: number
}

/** @param between Called after every round trip. */
export async function compare(own: StoredTree, otherTree: StoredTree, between?: () => Promise<void>): Promise<Counted> {
  const counted = { fetch: [] as string[], delete: [] as string[], roundTrips: 0, bytes: 0, largest: 0 }
  const ask = async (request: Uint8Array): Promise<Uint8Array> => {
    const reply = await answerOf(otherTree, request.slice())
    if (!reply) throw new Error('the other side did not understand')
    if (request.length > 65_536 || reply.length > 262_144) throw new Error('a message is too long')
    counted.roundTrips++
    counted.bytes += request.length + reply.length
    await between?.()
    return reply
  }
  for await (const piece of compareTrees(own, ask)) {
    for (const { domain, bucket, hash } of piece.fetch) {
      if (hex(hash).slice(0, 4) !== bucket.toString(16).padStart(4, '0')) throw new Error('a hash is not of its bucket')
      counted.fetch.push(`${domain} ${hex(hash)}`)
    }
    for (const key of piece.delete) counted.delete.push(key)
    counted.largest = Math.max(counted.largest, piece.fetch.length + piece.delete.length)
  }
  return { ...counted, fetch: counted.fetch.sort(), delete: counted.delete.sort() }
}

export const expectedText = (key: string): string => `${domainOf(key)} ${naiveKeyHash(key)}`

/** The differences of two stores, compared key by key. */
export function naiveDifference(own: Store, otherStore: Store): Compared {
  const isSame = (key: string): boolean =>
    own.has(key) && naiveLeaf(key, own.get(key) as Uint8Array) === naiveLeaf(key, otherStore.get(key) as Uint8Array)
  return {
    fetch: [...otherStore.keys()]
      .filter((key) => !isSame(key))
      .map(expectedText)
      .sort(),
    delete: [...own.keys()].filter((key) => !otherStore.has(key)).sort(),
  }
}

/** Compares two stores and expects the same differences as a naive comparison. */
export async function both(own: Store, otherStore: Store) {
  const { fetch, delete: gone, ...counted } = await compare(await built(own), await built(otherStore))
  expect({ fetch, delete: gone }).toEqual(naiveDifference(own, otherStore))
  return counted
}
