/** The application exports the lost writes of a former primary, record by record, for both kinds of replication. */
import { afterEach, describe, expect, it } from 'vitest'
import type { Kernel, LostRecord } from '../../../src/index.ts'
import { operationTokenOf } from '../dr/operation-token.ts'
import { DR, KINDS, type Kind, PERFORMANCE, rootOf, ticked, tokenOf } from './kinds.ts'
import { recordsOf, type Site, Sites, type Split, split } from './sites.ts'

let sites = new Sites()
afterEach(async () => {
  await sites.close()
  sites = new Sites()
})

async function allOf(records: AsyncIterable<LostRecord>): Promise<readonly LostRecord[]> {
  const found: LostRecord[] = []
  for await (const record of records) found.push(record)
  return found
}

/** Lets the former primary follow the other cluster. */
async function joined(kind: Kind, { former, now }: Split): Promise<void> {
  const role = kind.of(former.kernel)
  if ((await role.readStatus()).mode === 'primary') await role.demotePrimary()
  await role.updatePrimary({ token: await tokenOf(kind, now.kernel, 'former') })
  await ticked(former.kernel)
  expect(await rootOf(kind, former.kernel)).toBe(await rootOf(kind, now.kernel))
}

const secrets =
  (count: number, name = 'alone') =>
  async ({ kv }: Pick<Kernel, 'kv'>): Promise<void> => {
    for (let n = 0; n < count; n++) await kv.writeSecret({ path: `${name}/${n}`, data: { v: `${name}-${n}` } })
  }

/** The log indexes of the records, without repetitions. */
const commitsOf = (records: readonly LostRecord[]): readonly number[] => [...new Set(records.map(({ index }) => index))]

describe.each(KINDS.map((kind) => [kind.name, kind] as const))('%s replication', (name, kind) => {
  const exported = ({ former }: Pick<Split, 'former'>) => kind.of(former.kernel).exportLost()

  const sentBy = async (site: Site): Promise<ReadonlyMap<string, string>> => {
    const all = await Promise.all((name === 'dr' ? ['r/', 'l/'] : ['r/']).map((prefix) => recordsOf(site, prefix)))
    return new Map(all.flatMap((records) => [...records]))
  }

  it('exports every lost change byte for byte in the order of the commits', async () => {
    let before: ReadonlyMap<string, string> = new Map()
    let after = before
    const began = Date.now()
    const pair = await split(sites, kind, {
      before: secrets(20, 'both'),
      alone: async (former, site) => {
        before = await sentBy(site)
        await secrets(12)(former)
        await former.kv.writeSecret({ path: 'both/1', data: { v: 'another one' } })
        await former.kv.deleteSecret({ path: 'both/2' })
        await former.mounts.createMount({ path: 'more', type: 'kv' })
        await former.transit.createKey({ name: 'lost' })
        await former.policies.writePolicy({ name: 'lost', policy: 'path "secret/*" { capabilities = ["read"] }' })
        await former.tokens.createToken({ policies: ['lost'] })
        after = await sentBy(site)
      },
    })
    await joined(kind, pair)
    const records = await allOf(exported(pair))
    const changes = new Map(
      records.map(({ key, value, deleted }) => [key, deleted ? 'deleted' : Buffer.from(value ?? []).toString('hex')]),
    )
    const written = [...new Set([...before.keys(), ...after.keys()])].filter((key) => before.get(key) !== after.get(key))
    expect(written.length).toBeGreaterThan(16)
    for (const key of written) expect([key, changes.get(key)]).toEqual([key, after.get(key) ?? 'deleted'])
    const indexes = records.map(({ index }) => index)
    expect(indexes).toEqual(indexes.toSorted((a, b) => a - b))
    for (const { at, epoch } of records) {
      expect(epoch).toBe(1)
      expect(Date.parse(at)).toBeGreaterThanOrEqual(began - 1000)
      expect(Date.parse(at)).toBeLessThanOrEqual(Date.now() + 1000)
    }
    expect((await kind.of(pair.former.kernel).readStatus()).lost_writes).toBe(commitsOf(records).length)
    // The promoted cluster has lost no writes.
    expect(await allOf(kind.of(pair.now.kernel).exportLost())).toEqual([])
  })

  it('reads the lost writes page by page during an export, and stops when the caller stops', async () => {
    const pair = await split(sites, kind, { alone: secrets(250) })
    await joined(kind, pair)
    const read = pair.former.reads
    const iterator = exported(pair)[Symbol.asyncIterator]()
    const first = await iterator.next()
    expect(first.done).toBe(false)
    const behindOne = read.keys
    expect(await iterator.return?.()).toEqual({ done: true, value: undefined })
    expect(await iterator.next()).toEqual({ done: true, value: undefined })
    expect(read.keys).toBe(behindOne)
    read.keys = 0
    const all = await allOf(exported(pair))
    expect(commitsOf(all)).toHaveLength(250)
    // A page has less than half of the records.
    expect(behindOne).toBeLessThan(read.keys)
    expect(read.most).toBeLessThanOrEqual(101)
    for await (const { key } of exported(pair)) {
      expect(key).toBe(all[0]?.key)
      break
    }
    // Two concurrent exports do not affect each other.
    const [one, other] = await Promise.all([allOf(exported(pair)), allOf(exported(pair))])
    expect(one).toEqual(all)
    expect(other).toEqual(all)
  })

  it('ends an export early if the lost writes are deleted meanwhile', async () => {
    const pair = await split(sites, kind, { alone: secrets(150) })
    await joined(kind, pair)
    const found: LostRecord[] = []
    for await (const record of exported(pair)) {
      if (found.length === 0) await kind.of(pair.former.kernel).forgetLostWrites()
      found.push(record)
    }
    expect(commitsOf(found)).toHaveLength(100)
    expect(await allOf(exported(pair))).toEqual([])
    expect((await kind.of(pair.former.kernel).readStatus()).lost_writes).toBe(0)
    expect(await pair.former.storage.list(kind.quarantine)).toEqual([])
  })

  it('omits from the export a lost record of which a part is missing', async () => {
    const large = 'x'.repeat(700_000)
    const pair = await split(sites, kind, {
      alone: async ({ kv }) => {
        for (const at of [1, 2, 3]) await kv.writeSecret({ path: `alone/${at}`, data: { v: at === 2 ? large : at } })
      },
    })
    await joined(kind, pair)
    const { storage } = pair.former
    const all = await allOf(exported(pair))
    expect(commitsOf(all)).toHaveLength(3)
    const [, second = ''] = await storage.list(kind.quarantine, { delimiter: '/' })
    const pieces = await storage.list(kind.quarantine + second)
    expect(pieces.length).toBeGreaterThan(1)
    await storage.commit([{ op: 'del', key: `${kind.quarantine}${second}${pieces[0]}` }], 'one piece')
    const [first, , third] = commitsOf(all)
    expect(commitsOf(await allOf(exported(pair)))).toEqual([first, third])
  })

  it('fails an export if the kernel is sealed meanwhile', async () => {
    const pair = await split(sites, kind, { alone: secrets(150) })
    await joined(kind, pair)
    const { kernel } = pair.former
    const found: LostRecord[] = []
    const reading = async () => {
      for await (const record of exported(pair)) {
        if (found.length === 0) await kernel.seal.seal()
        found.push(record)
      }
    }
    await expect(reading()).rejects.toMatchObject({ code: 'ERR_SEALED', status: 503 })
    expect(commitsOf(found).length).toBeLessThanOrEqual(100)
  })

  it('refuses to export lost writes outside of the root namespace', async () => {
    const { kernel } = await sites.open()
    await kernel.namespaces.createNamespace({ name: 'inner' })
    const inner = kernel.namespace('inner')
    await expect(allOf(kind.of(inner).exportLost())).rejects.toMatchObject({ status: 400 })
  })
})

it('exportLost returns keys without values to a token with sudo, and is refused for other tokens', async () => {
  const pair = await split(sites, PERFORMANCE, { alone: secrets(2) })
  const { former, now } = pair
  const path = 'sys/replication/performance/secondary/lost-writes'
  for (const [name, more] of [
    ['some', ''],
    ['most', ', "sudo"'],
  ])
    await now.kernel.policies.writePolicy({ name: name as string, policy: `path "${path}" { capabilities = ["read"${more}] }` })
  await joined(PERFORMANCE, pair)
  const as = async (policy: string) => {
    const { client_token } = await former.kernel.tokens.createToken({ policies: [policy] })
    return former.kernel.as(client_token).replication.exportLost()
  }
  await expect(allOf(await as('some'))).rejects.toMatchObject({ status: 403 })
  const records = await allOf(await as('most'))
  expect(records.length).toBeGreaterThan(1)
  for (const record of records) expect(Object.keys(record)).not.toContain('value')
})

describe('lost writes on a DR secondary', () => {
  const BASE = '/v1/sys/replication/dr/secondary/lost-writes'

  const post = ({ kernel }: Site, path: string, body: object, headers = {}) =>
    kernel.handle({ method: 'POST', path, headers, body })

  it('are listed without values for a DR operation token, and refused without one', async () => {
    const former = await sites.openWithShares()
    const pair = await split(sites, DR, { former, alone: secrets(3) })
    await joined(DR, pair)
    const token = await operationTokenOf(former.kernel, former.shares, pair.now.kernel)
    const root = { 'X-Service-Token': former.root }
    for (const [body, status] of [
      [{}, 400],
      [{ dr_operation_token: 's.none' }, 403],
      [{ dr_operation_token: token }, 200],
      [{ dr_operation_token: token, limit: 0 }, 400],
      [{ dr_operation_token: token, after: 'x' }, 400],
    ] as const)
      expect([body, (await post(former, BASE, body, root)).status]).toEqual([body, status])
    const { body } = await post(former, BASE, { dr_operation_token: token, limit: 2 })
    const { records, next } = (body as { data: { records: readonly object[]; next?: string } }).data
    expect([records.length, typeof next]).toEqual([2, 'string'])
    expect(JSON.stringify(records)).not.toContain('value')
    const view = former.kernel.as('s.nobody').replication.dr
    await expect(allOf(view.exportLost())).rejects.toMatchObject({ status: 400 })
    await expect(allOf(view.exportLost({ dr_operation_token: 's.none' }))).rejects.toMatchObject({ status: 403 })
    const shown = await allOf(view.exportLost({ dr_operation_token: token }))
    expect(commitsOf(shown)).toHaveLength(3)
    for (const record of shown) expect(Object.keys(record)).not.toContain('value')
    expect((await allOf(former.kernel.replication.dr.exportLost())).some(({ value }) => value)).toBe(true)
    expect((await post(former, `${BASE}/delete`, {})).status).toBe(400)
    expect((await post(former, `${BASE}/delete`, { dr_operation_token: 's.none' })).status).toBe(403)
    expect(commitsOf(await allOf(view.exportLost({ dr_operation_token: token })))).toHaveLength(3)
    expect((await post(former, `${BASE}/delete`, { dr_operation_token: token })).status).toBe(204)
    expect(await allOf(view.exportLost({ dr_operation_token: token }))).toEqual([])
  })

  it('can be read by the application in every role, but not by path on a DR primary', async () => {
    const pair = await split(sites, DR, { alone: secrets(3) })
    await joined(DR, pair)
    const { former, now } = pair
    expect((await post(now, BASE, { dr_operation_token: 's.none' })).status).toBe(400)
    await now.kernel.replication.dr.demotePrimary()
    await former.kernel.replication.dr.promote()
    expect((await post(former, BASE, {})).status).toBe(400)
    expect(commitsOf(await allOf(former.kernel.replication.dr.exportLost()))).toHaveLength(3)
    expect((await post(former, `${BASE}/delete`, {})).status).toBe(400)
    await former.kernel.replication.dr.forgetLostWrites()
    expect(await allOf(former.kernel.replication.dr.exportLost())).toEqual([])
  })
})
