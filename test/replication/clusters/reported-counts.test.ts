/**
 * The reports of encryption counts between clusters: their cost, how long they are stored, and invalid reports.
 */
import { describe, expect, it } from 'vitest'
import { withFormat } from '../../../src/core/contract/record-kind.ts'
import { SHARED_COUNT } from '../../../src/core/transaction/shared-count.ts'
import { inProcessNetwork, type ReplicationTransport } from '../../../src/index.ts'
import { readPrimaryState } from '../../../src/sys/replication/follow/primary-state.ts'
import { REPLICATION } from '../../../src/sys/replication/replication-context.ts'
import { greetingOf, type Message } from '../greeting.ts'
import { type Cluster, encrypt, LIMIT, reported, SHARED, Site, sharedOn, ticked, tryMany, wear } from './worn.ts'

const centerOf = ({ internals }: Cluster) => REPLICATION.of({ env: internals.host.env }).performance

/** Records the sizes of all requests. */
function listening(): { readonly network: ReplicationTransport; readonly sizes: number[] } {
  const inner = inProcessNetwork()
  const sizes: number[] = []
  const network: ReplicationTransport = {
    listen: inner.listen,
    request: (address, bytes, signal) => {
      sizes.push(bytes.length)
      return inner.request(address, bytes, signal)
    },
  }
  return { network, sizes }
}

describe('an idle tick of a secondary', () => {
  it('sends a single message, whose size does not depend on the number of used keys', async () => {
    const { network, sizes } = listening()
    const [primary, firstCluster] = (await new Site(network).set(1)) as [Cluster, Cluster]
    const idle = async (): Promise<readonly number[]> => {
      await ticked(firstCluster)
      sizes.length = 0
      await firstCluster.kernel.tick()
      return [...sizes]
    }
    await encrypt(firstCluster)
    const few = await idle()
    expect(few.length).toBe(1)
    for (let n = 0; n < 40; n++) await primary.kernel.transit.createKey({ name: `k${n}` })
    await ticked(firstCluster)
    for (let n = 0; n < 40; n++) await encrypt(firstCluster, `k${n}`)
    const [size = 0, ...others] = await idle()
    expect(others).toEqual([])
    // The log index has grown, and larger integers have more bytes.
    expect(Math.abs(size - few[0]!)).toBeLessThan(16)
    await wear(firstCluster, LIMIT / 2)
    await tryMany(firstCluster, 2000)
    expect((await idle()).length).toBe(1)
  })

  it('writes no encryption count that the primary and the secondary already know', async () => {
    const [, firstCluster] = (await new Site().set(1)) as [Cluster, Cluster]
    await wear(firstCluster, LIMIT / 2)
    await encrypt(firstCluster)
    await ticked(firstCluster)
    const before = await firstCluster.storage.scan(SHARED)
    await ticked(firstCluster)
    expect(before.length).toBe(1)
    expect(await firstCluster.storage.scan(SHARED)).toEqual(before)
  })
})

describe('a reported encryption count', () => {
  const clustersWithCounts = async (): Promise<readonly [Cluster, Cluster]> => {
    const [primary, firstCluster] = (await new Site().set(1)) as [Cluster, Cluster]
    await wear(firstCluster, LIMIT / 2)
    await wear(primary, LIMIT / 4)
    for (const cluster of [primary, firstCluster]) await encrypt(cluster)
    await ticked(firstCluster)
    for (const cluster of [primary, firstCluster]) expect((await sharedOn(cluster)).length).toBe(1)
    return [primary, firstCluster]
  }

  it('is deleted with its key', async () => {
    const [primary, firstCluster] = await clustersWithCounts()
    await primary.kernel.transit.configureKey({ name: 'k', deletion_allowed: true })
    await primary.kernel.transit.deleteKey({ name: 'k' })
    expect(await sharedOn(primary)).toEqual([])
    await ticked(firstCluster)
    expect(await sharedOn(firstCluster)).toEqual([])
  })

  it('is deleted when its key version is trimmed', async () => {
    const [primary, firstCluster] = await clustersWithCounts()
    await primary.kernel.transit.rotateKey({ name: 'k' })
    await primary.kernel.transit.configureKey({ name: 'k', min_decryption_version: 2, min_encryption_version: 2 })
    await primary.kernel.transit.trimKey({ name: 'k', min_available_version: 2 })
    expect(await sharedOn(primary)).toEqual([])
    await ticked(firstCluster)
    expect(await sharedOn(firstCluster)).toEqual([])
  })

  it('is deleted with its mount', async () => {
    const [primary, firstCluster] = await clustersWithCounts()
    await primary.kernel.mounts.deleteMount({ path: 'transit' })
    await ticked(primary)
    expect(await sharedOn(primary)).toEqual([])
    await ticked(firstCluster)
    expect(await sharedOn(firstCluster)).toEqual([])
  })

  it('reaches the other cluster in pages if there are many counts', async () => {
    const [primary, firstCluster] = (await new Site().set(1)) as [Cluster, Cluster]
    const versions = 300
    for (let n = 1; n < versions; n++) await primary.kernel.transit.rotateKey({ name: 'k' })
    await ticked(firstCluster)
    await wear(primary, LIMIT / 2)
    await encrypt(primary)
    const { store } = firstCluster.internals.host
    const [material] = (await firstCluster.storage.scan('r/')).filter(
      ({ key }) => key.includes('/material/') && key.endsWith('/1'),
    )
    const prefix = SHARED + material!.key.slice(2, -1)
    const value = withFormat(SHARED_COUNT.format, SHARED_COUNT.encode({ own: LIMIT / 16, others: {} }))
    for (let version = 1; version <= versions; version++)
      await store.commit([store.encryptedPut(`${prefix}${version}`, value, undefined)])
    await reported(firstCluster)
    expect((await sharedOn(primary)).length).toBeLessThan(versions)
    for (let n = 0; n < 2; n++) await reported(firstCluster)
    expect((await sharedOn(primary)).length).toBe(versions)
  })
})

const of = 'a/material/b/1'
const by = { '0123456789abcdef': LIMIT / 2 }
const many = (length: number) => Array.from({ length }, (_, n) => ({ of: `a/material/b/${n + 1}`, by }))
const names = (length: number) =>
  Object.fromEntries(Array.from({ length }, (_, n) => [n.toString(16).padStart(16, '0'), LIMIT / 2]))

/** Invalid reports. */
const BAD: readonly (readonly [string, unknown])[] = [
  ['undefined', undefined],
  ['an object instead of a list', { of, by }],
  ['a text', 'counts'],
  ['more entries than a message may have', many(257)],
  ['a list of numbers', [7]],
  ['a list of lists', [[of, by]]],
  ['an entry without a key', [{ by }]],
  ['a number for a key', [{ of: 7, by }]],
  ['a malformed key', [{ of: 'a', by }]],
  ['a key with ..', [{ of: '../material/b/1', by }]],
  ['a key with a class', [{ of: '/a/material/b/1', by }]],
  ['a version of letters', [{ of: 'a/material/b/x', by }]],
  ['a long key', [{ of: `a/material/${'b'.repeat(600)}/1`, by }]],
  ['an entry without counts', [{ of }]],
  ['a list of clusters', [{ of, by: [1] }]],
  ['more clusters than are stored', [{ of, by: names(18) }]],
  ['a malformed cluster name', [{ of, by: { 'another form': LIMIT } }]],
  ['the cluster name __proto__', [{ of, by: JSON.parse('{"__proto__":4294967296}') }]],
  ['a count as text', [{ of, by: { '0123456789abcdef': '4294967296' } }]],
  ['a fractional count', [{ of, by: { '0123456789abcdef': LIMIT / 2 + 0.5 } }]],
  ['a count below the reporting threshold', [{ of, by: { '0123456789abcdef': 5 } }]],
  ['a negative count', [{ of, by: { '0123456789abcdef': -LIMIT } }]],
  ['a count above the limit', [{ of, by: { '0123456789abcdef': LIMIT + 1 } }]],
]

/** Invalid reports that no message can contain. */
const UNSENDABLE: typeof BAD = [
  ['a count that is not a number', [{ of, by: { '0123456789abcdef': Number.NaN } }]],
  ['an infinite count', [{ of, by: { '0123456789abcdef': Number.POSITIVE_INFINITY } }]],
]

describe('an invalid report of encryption counts', async () => {
  const [primary, firstCluster] = (await new Site().set(1)) as [Cluster, Cluster]
  const greeting = async (more: Message) =>
    centerOf(firstCluster).follower.ask(await greetingOf(centerOf(firstCluster), more), new AbortController().signal)

  it.each(BAD)('is refused: %s', async (_, counts) => {
    await expect(greeting({ counts })).rejects.toMatchObject({ code: 'ERR_INVALID_REQUEST' })
    const answer = await greeting({})
    expect(() => readPrimaryState({ ...answer, counts }, Date.now())).toThrow('the message must contain')
    expect(await sharedOn(primary)).toEqual([])
  })

  it.each(UNSENDABLE)('is refused, and cannot be sent: %s', async (_, counts) => {
    await expect(greeting({ counts })).rejects.toThrow(TypeError)
    const answer = await greeting({})
    expect(() => readPrimaryState({ ...answer, counts }, Date.now())).toThrow('the message must contain')
  })

  it.each([
    ['a number', 7],
    ['a long text', 'x'.repeat(600)],
    ['undefined', undefined],
  ])('is refused if its position in the list of counts is %s', async (_, place) => {
    await expect(greeting({ counts_after: place })).rejects.toMatchObject({ code: 'ERR_INVALID_REQUEST' })
    const answer = await greeting({})
    expect(() => readPrimaryState({ ...answer, counts_next: place }, Date.now())).toThrow('counts_next')
  })

  it('is ignored if its key does not exist', async () => {
    await greeting({ counts: many(256) })
    expect(await sharedOn(primary)).toEqual([])
  })

  it('does not affect the counts of other key versions', async () => {
    const [material] = (await primary.storage.scan('r/')).filter(({ key }) => key.includes('/material/'))
    const lie = { of: material!.key.slice(2), by: names(17) }
    await encrypt(primary)
    await greeting({ counts: [lie, lie] })
    await greeting({ counts: [{ ...lie, by: { ffffffffffffffff: LIMIT } }] })
    expect(await tryMany(primary, 2000)).toBe(1023)
    expect((await sharedOn(primary)).length).toBe(1)
    await primary.kernel.transit.rotateKey({ name: 'k' })
    expect(await tryMany(primary, 2000)).toBe(2000)
  })
})
