import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createDevKernel, type KeyCensus, type RewrapItem, type RewrapProgress } from '../../src/index.ts'
import { fakeClock } from '../../src/testing/index.ts'

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const MINUTE = 60_000
let clock: ReturnType<typeof fakeClock>
let kernel: Awaited<ReturnType<typeof createDevKernel>>

beforeEach(async () => {
  clock = fakeClock()
  kernel = await createDevKernel({ clock })
  await kernel.transit.createKey({ name: 'k' })
})
afterEach(() => kernel.close())

async function cells(count: number, from = 0): Promise<RewrapItem[]> {
  const batch_input = Array.from({ length: count }, (_, index) => ({ plaintext: utf8(`row ${from + index}`) }))
  const { batch_results } = await kernel.transit.encryptBatch({ name: 'k', batch_input })
  return batch_results.map((result, index) => {
    if (result.error) throw result.error
    return { ciphertext: result.ciphertext, reference: String(from + index) }
  })
}

const rotate = () => kernel.transit.rotateKey({ name: 'k' })

/** Rewraps the table and stores the results. @returns The census. */
async function brought(table: RewrapItem[], options: Parameters<typeof kernel.transit.rewrapAll>[1] = {}): Promise<KeyCensus> {
  const walk = kernel.transit.rewrapAll({ name: 'k', items: [...table] }, options)
  for (;;) {
    const { done, value } = await walk.next()
    if (done) return value
    if (value.error) throw value.error
    const at = table.findIndex(({ reference }) => reference === value.reference)
    table[at] = { ...table[at], ciphertext: value.ciphertext }
  }
}

describe('transit.inspect', () => {
  it('returns for a ciphertext or HMAC its prefix and key version, and whether the version is outdated or unusable', async () => {
    const [{ ciphertext = '' } = {}] = await cells(1)
    const { hmac } = await kernel.transit.hmac({ name: 'k', input: utf8('x') })
    expect(await kernel.transit.inspect({ name: 'k', ciphertext })).toEqual({
      prefix: 'strongroom:v',
      key_version: 1,
      latest_version: 1,
      stale: false,
      usable: true,
    })
    await rotate()
    await rotate()
    expect(await kernel.transit.inspect({ name: 'k', ciphertext: hmac })).toMatchObject({
      key_version: 1,
      stale: true,
      usable: true,
    })
    await kernel.transit.configureKey({ name: 'k', min_decryption_version: 2 })
    expect(await kernel.transit.inspect({ name: 'k', ciphertext })).toMatchObject({
      latest_version: 3,
      stale: true,
      usable: false,
    })
  })

  it('returns an error for each batch item that the key cannot have created, and refuses a missing key', async () => {
    const [{ ciphertext = '' } = {}] = await cells(1)
    const batch_input = ['', 'nonsense', 'strongroom:v9:AAAA', 'strongroom:v-1:AAAA', 'vault:v1:AAAA', ciphertext].map(
      (text) => ({
        ciphertext: text,
      }),
    )
    const { batch_results } = await kernel.transit.inspectBatch({ name: 'k', batch_input })
    expect(batch_results.map(({ error }) => error?.status)).toEqual([400, 400, 400, 400, 400, undefined])
    await expect(kernel.transit.inspect({ name: 'none', ciphertext })).rejects.toMatchObject({ status: 400 })
  })

  it('can be called by path', async () => {
    const [{ ciphertext = '' } = {}] = await cells(1)
    const { body } = await kernel.handle({
      method: 'POST',
      path: '/v1/transit/inspect/k',
      headers: { 'X-Service-Token': kernel.rootToken ?? '' },
      body: { ciphertext },
    })
    expect(body).toMatchObject({ data: { key_version: 1, stale: false } })
  })
})

describe('transit.rewrapAll', () => {
  it('only counts the ciphertexts to be rewrapped in a dry run', async () => {
    const old = await cells(300)
    await rotate()
    const table = [...old, ...(await cells(20, 300))]
    const before = await kernel.transit.readKey({ name: 'k' })
    const reports: RewrapProgress[] = []
    const results = []
    const walk = kernel.transit.rewrapAll({ name: 'k', items: table }, { dryRun: true, onProgress: (now) => reports.push(now) })
    for await (const result of walk) results.push(result)
    expect(results.map((result) => !result.error && [result.ciphertext, result.key_version, result.unchanged])).toEqual(
      table.map(({ ciphertext }, index) => [ciphertext, index < 300 ? 1 : 2, index >= 300]),
    )
    expect(reports.at(-1)).toMatchObject({
      rewrapped: 300,
      unchanged: 20,
      failed: 0,
      census: { complete: true, versions: { 1: 300, 2: 20 } },
    })
    expect(await kernel.transit.readKey({ name: 'k' })).toEqual(before)
  })

  it('continues after a stored checkpoint, and then counts the items before the checkpoint too', async () => {
    const table = await cells(1000)
    await rotate()
    let kept: string | undefined
    const first = new AbortController()
    const checkpoint = async (progress: RewrapProgress) => {
      // Stored as in a column next to the rows.
      kept = JSON.stringify(progress)
      if (progress.done >= 500) first.abort(new Error('the machine goes down'))
    }
    await expect(brought(table, { checkpoint, signal: first.signal })).rejects.toThrow('the machine goes down')
    const after = JSON.parse(kept as string) as RewrapProgress
    expect(after).toMatchObject({ done: 512, rewrapped: 512, reference: '511', census: { complete: false } })
    const rest = table.slice(Number(after.reference) + 1)
    let last: RewrapProgress | undefined
    const census = await brought(rest, { after, onProgress: (progress) => (last = progress) })
    expect(last).toMatchObject({ done: 1000, total: 1000, rewrapped: 1000, reference: '999' })
    expect(census).toMatchObject({ complete: true, versions: { 2: 1000 }, unknown: 0 })
  })

  it('rejects with the error that the checkpoint callback throws', async () => {
    const table = await cells(300)
    const checkpoint = () => Promise.reject(new Error('the table is locked'))
    await expect(brought(table, { checkpoint })).rejects.toThrow('the table is locked')
  })

  it('with concurrent batches returns the results in order, and reads at most one batch ahead for each', async () => {
    const table = await cells(2000)
    await rotate()
    let rowsRead = 0
    function* source() {
      for (const item of table) {
        rowsRead++
        yield item
      }
    }
    const references: string[] = []
    for await (const { reference } of kernel.transit.rewrapAll({ name: 'k', items: source() }, { concurrency: 3 })) {
      references.push(reference)
      expect(rowsRead - references.length).toBeLessThanOrEqual(3 * 256)
    }
    expect(references).toEqual(table.map(({ reference }) => reference))
    for (const concurrency of [0, 17, 1.5, Number.NaN, '2' as unknown as number])
      await expect(brought(table, { concurrency })).rejects.toThrow('concurrency')
  })

  it('adds an item that it cannot rewrap to the count for the key version in the ciphertext', async () => {
    const [cell] = (await cells(1)) as [RewrapItem]
    await rotate()
    const items = [cell, { ...cell, associated_data: utf8('of another row') }, { ciphertext: 'nonsense' }]
    const walk = kernel.transit.rewrapAll({ name: 'k', items })
    let next = await walk.next()
    while (!next.done) next = await walk.next()
    expect(next.value).toMatchObject({ versions: { 1: 1, 2: 1 }, unknown: 1 })
  })

  it('requires no permission to inspect ciphertexts', async () => {
    const [cell] = (await cells(1)) as [RewrapItem]
    await kernel.policies.writePolicy({ name: 'r', policy: 'path "transit/rewrap/k" { capabilities = ["update"] }' })
    const { client_token } = await kernel.tokens.createToken({ policies: ['r'] })
    await rotate()
    const items = [cell, { ...cell, associated_data: utf8('of another row') }]
    const walk = kernel.as(client_token).transit.rewrapAll({ name: 'k', items })
    let next = await walk.next()
    while (!next.done) next = await walk.next()
    expect(next.value).toMatchObject({ versions: { 2: 1 }, unknown: 1 })
    await expect(kernel.as(client_token).transit.census({ name: 'k', items })).rejects.toMatchObject({ status: 403 })
  })
})

describe('transit.retireVersions', () => {
  const retire = (census: KeyCensus, grace?: number) =>
    kernel.transit.retireVersions({ name: 'k', census, ...(grace === undefined ? {} : { grace }) })

  it('raises min_decryption_version to the oldest version that the census found', async () => {
    const table = await cells(3)
    await rotate()
    table.push(...(await cells(2, 3)))
    await rotate()
    await clock.advance(MINUTE)
    const before = await kernel.transit.census({ name: 'k', items: table })
    expect(before).toMatchObject({ complete: true, versions: { 1: 3, 2: 2 }, unknown: 0 })
    expect((await retire(before)).min_decryption_version).toBe(1)
    const newer = table.slice(3)
    expect((await retire(await kernel.transit.census({ name: 'k', items: newer }))).min_decryption_version).toBe(2)
    const after = await brought(newer)
    expect(after.versions).toEqual({ 3: 2 })
    expect((await retire(after)).min_decryption_version).toBe(3)
    for (const { ciphertext = '' } of newer) await kernel.transit.decrypt({ name: 'k', ciphertext })
    await expect(kernel.transit.decrypt({ name: 'k', ciphertext: table[0]?.ciphertext ?? '' })).rejects.toMatchObject({
      status: 400,
    })
  })

  it('keeps a version that another version replaced as the latest within the grace period before the census', async () => {
    const table = await cells(2)
    await rotate()
    await brought(table)
    await clock.advance(MINUTE - 1)
    const early = await kernel.transit.census({ name: 'k', items: table })
    const reply = await retire(early)
    expect(reply.min_decryption_version).toBe(1)
    expect(reply.warnings?.join()).toContain('version 2')
    expect((await retire(early, 59)).min_decryption_version).toBe(2)
  })

  it('refuses an invalid, incomplete or outdated census, and changes nothing for a census of a deleted key', async () => {
    const table = await cells(2)
    await rotate()
    await clock.advance(MINUTE)
    const good = await kernel.transit.census({ name: 'k', items: table.slice(0, 0) })
    for (const bad of [
      { ...good, complete: false },
      { ...good, unknown: 1 },
      { ...good, begun: 'yesterday' },
      { ...good, begun: new Date(clock.now() + 1).toISOString() },
      { ...good, versions: { 4: 1 } },
      { ...good, versions: { x: 1 } as Record<string, number> },
      { ...good, versions: { 1: -1 } },
      { ...good, versions: { 1: 0.5 } },
    ])
      await expect(retire(bad), JSON.stringify(bad)).rejects.toMatchObject({ status: 400 })
    await kernel.transit.configureKey({ name: 'k', deletion_allowed: true })
    await kernel.transit.deleteKey({ name: 'k' })
    await kernel.transit.createKey({ name: 'k' })
    await rotate()
    expect((await retire(good)).min_decryption_version).toBe(1)
    await clock.advance(25 * 60 * MINUTE)
    await expect(retire(good)).rejects.toMatchObject({ status: 400 })
  })

  it('raises min_encryption_version too, so that trimKey can delete the retired versions', async () => {
    const table = await cells(2)
    await kernel.transit.configureKey({ name: 'k', min_encryption_version: 1 })
    await rotate()
    await clock.advance(MINUTE)
    const reply = await retire(await brought(table))
    expect([reply.min_decryption_version, reply.min_encryption_version]).toEqual([2, 2])
    expect((await kernel.transit.trimKey({ name: 'k', min_available_version: 2 })).min_available_version).toBe(2)
  })

  it('retires no version that a stored ciphertext needs, whatever operations preceded it', async () => {
    const draw = (() => {
      let state = 20261123
      return (most: number) => {
        state = (state * 1103515245 + 12345) & 0x7fffffff
        return (state >>> 8) % most
      }
    })()
    const table: RewrapItem[] = []
    for (let step = 0; step < 120; step++) {
      const what = draw(6)
      if (what < 2) table.push(...(await cells(1 + draw(3), step * 10)))
      else if (what === 2) await rotate()
      else if (what === 3) {
        const part = table.slice(draw(table.length + 1))
        await brought(part)
        table.splice(table.length - part.length, part.length, ...part)
      } else if (what === 4) table.splice(0, draw(table.length + 1))
      else {
        await clock.advance(MINUTE)
        await retire(await kernel.transit.census({ name: 'k', items: table }))
        for (const { ciphertext = '' } of table) await kernel.transit.decrypt({ name: 'k', ciphertext })
      }
    }
    expect((await kernel.transit.readKey({ name: 'k' })).min_decryption_version).toBeGreaterThan(3)
  })
})
