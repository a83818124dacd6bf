import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createDevKernel, type RewrapAllResult, type RewrapItem, type RewrapProgress } from '../../src/index.ts'

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
let kernel: Awaited<ReturnType<typeof createDevKernel>>

beforeEach(async () => {
  kernel = await createDevKernel()
  await kernel.transit.createKey({ name: 'k' })
})
afterEach(() => kernel.close())

const plaintextOf = (index: number): Uint8Array => utf8(`row ${index}`)
const boundTo = (index: number): Uint8Array => utf8(`id ${index}`)

/** A table whose cells are bound to their rows by associated data. */
async function rows(count: number): Promise<RewrapItem[]> {
  const batch_input = Array.from({ length: count }, (_, index) => ({
    plaintext: plaintextOf(index),
    associated_data: boundTo(index),
  }))
  const { batch_results } = await kernel.transit.encryptBatch({ name: 'k', batch_input })
  return batch_results.map((result, index) => {
    if (result.error) throw result.error
    return { ciphertext: result.ciphertext, associated_data: boundTo(index), reference: String(index) }
  })
}

async function all(results: AsyncIterable<RewrapAllResult>): Promise<RewrapAllResult[]> {
  const collected: RewrapAllResult[] = []
  for await (const result of results) collected.push(result)
  return collected
}

const good = (result: RewrapAllResult | undefined) => {
  if (!result || result.error) throw result?.error ?? new Error('there is no result')
  return result
}

describe('transit.rewrapAll', () => {
  it('rewraps 1,000 ciphertexts with associated data to the latest version, and keeps their order', async () => {
    const items = await rows(1000)
    await kernel.transit.rotateKey({ name: 'k' })
    const reports: RewrapProgress[] = []
    const results = await all(
      kernel.transit.rewrapAll({ name: 'k', items }, { onProgress: (progress) => reports.push(progress) }),
    )
    expect(results.map(({ reference }) => reference)).toEqual(items.map(({ reference }) => reference))
    for (const [index, result] of results.entries()) {
      const { ciphertext, key_version, unchanged } = good(result)
      expect([key_version, unchanged]).toEqual([2, false])
      const opened = await kernel.transit.decrypt({ name: 'k', ciphertext, associated_data: boundTo(index) })
      expect(opened.plaintext).toEqual(plaintextOf(index))
    }
    expect(reports.length).toBeGreaterThan(1)
    expect(reports.map(({ done }) => done)).toEqual(reports.map(({ done }) => done).toSorted((a, b) => a - b))
    expect(reports.at(-1)).toMatchObject({ done: 1000, total: 1000, rewrapped: 1000, unchanged: 0, failed: 0, reference: '999' })
  })

  it('leaves ciphertexts unchanged that an interrupted call has already rewrapped', async () => {
    const table = await rows(600)
    await kernel.transit.rotateKey({ name: 'k' })
    const store = async (result: RewrapAllResult): Promise<void> => {
      const { ciphertext, reference } = good(result)
      const index = Number(reference)
      table[index] = { ...(table[index] as RewrapItem), ciphertext }
    }
    for await (const result of kernel.transit.rewrapAll({ name: 'k', items: table })) {
      await store(result)
      if (result.reference === '299') break
    }
    let last: RewrapProgress | undefined
    const onProgress = (progress: RewrapProgress) => {
      last = progress
    }
    for await (const result of kernel.transit.rewrapAll({ name: 'k', items: [...table] }, { onProgress })) {
      expect(good(result).unchanged).toBe(Number(result.reference) < 300)
      if (good(result).unchanged) expect(good(result).ciphertext).toBe(table[Number(result.reference)]?.ciphertext)
      await store(result)
    }
    expect(last).toMatchObject({ done: 600, total: 600, rewrapped: 300, unchanged: 300, failed: 0 })
    for (const [index, item] of table.entries()) {
      expect((await kernel.transit.decrypt({ name: 'k', ...withoutReference(item) })).plaintext).toEqual(plaintextOf(index))
    }
  })

  it('returns an error as the result of an invalid item, and continues with the next item', async () => {
    const items = await rows(4)
    await kernel.transit.rotateKey({ name: 'k' })
    const [first, second, third, fourth] = items as [RewrapItem, RewrapItem, RewrapItem, RewrapItem]
    const broken = [
      first,
      { ...second, associated_data: utf8('of another row') },
      { ciphertext: 'nonsense', reference: 'n' },
      { ...third, ciphertext: `strongroom:v9:${third.ciphertext?.split(':')[2]}` },
      { reference: 'empty' } as never,
      fourth,
    ]
    const results = await all(kernel.transit.rewrapAll({ name: 'k', items: broken }))
    expect(results.map(({ error, reference }) => [reference, error?.code])).toEqual([
      ['0', undefined],
      ['1', 'ERR_DECRYPTION_FAILED'],
      ['n', 'ERR_INVALID_REQUEST'],
      ['2', 'ERR_INVALID_REQUEST'],
      ['empty', 'ERR_INVALID_REQUEST'],
      ['3', undefined],
    ])
  })

  it('rewraps to `key_version` if that is given, and otherwise to the latest version at the time when a batch begins', async () => {
    const items = await rows(300)
    await kernel.transit.rotateKey({ name: 'k' })
    await kernel.transit.rotateKey({ name: 'k' })
    const second = await all(kernel.transit.rewrapAll({ name: 'k', key_version: 2, items }))
    expect(new Set(second.map((result) => good(result).key_version))).toEqual(new Set([2]))
    const back = await all(
      kernel.transit.rewrapAll({
        name: 'k',
        key_version: 1,
        items: second.map((result, index) => ({ ...items[index], ciphertext: good(result).ciphertext })),
      }),
    )
    expect(back.every((result) => good(result).key_version === 1 && !good(result).unchanged)).toBe(true)
    const following: number[] = []
    for await (const result of kernel.transit.rewrapAll({ name: 'k', items })) {
      if (result.reference === '0') await kernel.transit.rotateKey({ name: 'k' })
      following.push(good(result).key_version)
    }
    expect([following[0], following.at(-1)]).toEqual([3, 4])
  })

  it('reads at most one batch of items ahead, and closes their source if the loop over the results ends early', async () => {
    const [item] = (await rows(1)) as [RewrapItem]
    let itemsRead = 0
    let ended = false
    async function* source(): AsyncGenerator<RewrapItem> {
      try {
        for (;;) {
          itemsRead++
          yield item
        }
      } finally {
        ended = true
      }
    }
    let results = 0
    for await (const _ of kernel.transit.rewrapAll({ name: 'k', items: source() })) {
      results++
      expect(itemsRead - results).toBeLessThanOrEqual(256)
      if (results === 1000) break
    }
    expect(ended).toBe(true)
  })

  it('reads at most about 1 MB of large items ahead', async () => {
    const { ciphertext } = await kernel.transit.encrypt({ name: 'k', plaintext: new Uint8Array(600_000) })
    let itemsRead = 0
    function* source(): Generator<RewrapItem> {
      for (; itemsRead < 20; ) {
        itemsRead++
        yield { ciphertext }
      }
    }
    let results = 0
    for await (const _ of kernel.transit.rewrapAll({ name: 'k', items: source() })) {
      results++
      expect(itemsRead - results).toBeLessThanOrEqual(1)
    }
    expect(results).toBe(20)
  })

  it('yields to the event loop between batches', async () => {
    const [item] = (await rows(1)) as [RewrapItem]
    await kernel.transit.rotateKey({ name: 'k' })
    let turns = 0
    let counting = true
    const count = (): void => {
      turns++
      if (counting) setImmediate(count)
    }
    setImmediate(count)
    await all(kernel.transit.rewrapAll({ name: 'k', items: Array.from({ length: 2560 }, () => item) }))
    counting = false
    expect(turns).toBeGreaterThanOrEqual(9)
  })

  it('stops immediately when its signal is aborted: before the first result, between results, or while it waits for the source', async () => {
    const items = await rows(600)
    const reason = new Error('enough')
    const between = new AbortController()
    let results = 0
    const looping = (async () => {
      for await (const _ of kernel.transit.rewrapAll({ name: 'k', items }, { signal: between.signal })) {
        results++
        if (results === 10) between.abort(reason)
      }
    })()
    await expect(looping).rejects.toBe(reason)
    expect(results).toBe(10)

    const early = AbortSignal.abort(reason)
    await expect(all(kernel.transit.rewrapAll({ name: 'k', items }, { signal: early }))).rejects.toBe(reason)

    const silent = new AbortController()
    let onRequest = () => {}
    const asking = new Promise<void>((resolve) => {
      onRequest = resolve
    })
    async function* source(): AsyncGenerator<RewrapItem> {
      onRequest()
      await new Promise(() => {})
    }
    const waiting = all(kernel.transit.rewrapAll({ name: 'k', items: source() }, { signal: silent.signal }))
    await asking
    silent.abort(reason)
    await expect(waiting).rejects.toBe(reason)
  })

  it('rejects if the source or onProgress throws, and if the arguments are invalid', async () => {
    const items = await rows(2)
    const failure = new Error('the table is gone')
    async function* source(): AsyncGenerator<RewrapItem> {
      yield items[0] as RewrapItem
      throw failure
    }
    await expect(all(kernel.transit.rewrapAll({ name: 'k', items: source() }))).rejects.toBe(failure)
    const onProgress = () => {
      throw failure
    }
    await expect(all(kernel.transit.rewrapAll({ name: 'k', items }, { onProgress }))).rejects.toBe(failure)
    await expect(all(kernel.transit.rewrapAll({ name: 'missing', items }))).rejects.toMatchObject({ status: 400 })
    await expect(all(kernel.transit.rewrapAll({ name: 'k', items: [5 as never] }))).rejects.toBeInstanceOf(TypeError)
    await expect(all(kernel.transit.rewrapAll({ name: 'k', items: 5 as never }))).rejects.toBeInstanceOf(TypeError)
    await expect(all(kernel.transit.rewrapAll({ name: 'k', items, version: 2 } as never))).rejects.toThrow(/version: unknown/)
    expect(await all(kernel.transit.rewrapAll({ name: 'k', items: [] }))).toEqual([])
  })

  it('rewraps with a derived key of another mount, from any iterable of items', async () => {
    await kernel.mounts.createMount({ path: 'payments', type: 'transit' })
    const transit = kernel.transit.at('payments/')
    await transit.createKey({ name: 'd', derived: true })
    const context = utf8('tenant')
    const { ciphertext } = await transit.encrypt({ name: 'd', plaintext: plaintextOf(1), context })
    await transit.rotateKey({ name: 'd' })
    const [result] = await all(transit.rewrapAll({ name: 'd', items: new Set([{ ciphertext, context }]) }))
    const opened = await transit.decrypt({ name: 'd', ciphertext: good(result).ciphertext, context })
    expect([good(result).key_version, opened.plaintext]).toEqual([2, plaintextOf(1)])
  })

  it('is authorized again for each batch, and counts each batch as one use of the token', async () => {
    const items = (await rows(600)).map(withoutBinding)
    const policy = 'path "transit/rewrap/k" { capabilities = ["update"] }'
    await kernel.policies.writePolicy({ name: 'rewrapper', policy })
    const { client_token } = await kernel.tokens.createToken({ policies: ['rewrapper'], num_uses: 2 })
    const seen: RewrapAllResult[] = []
    const working = (async () => {
      for await (const result of kernel.as(client_token).transit.rewrapAll({ name: 'k', items })) seen.push(result)
    })()
    await expect(working).rejects.toMatchObject({ status: 403 })
    expect(seen.length).toBe(512)

    const other = await kernel.tokens.createToken({ policies: ['default'] })
    const denied = kernel.as(other.client_token).transit.rewrapAll({ name: 'k', items })
    await expect(all(denied)).rejects.toMatchObject({ status: 403 })
  })
})

describe('transit.rewrap with keep_current', () => {
  it('leaves a ciphertext of the latest version unchanged in a call by path', async () => {
    const { ciphertext } = await kernel.transit.encrypt({ name: 'k', plaintext: plaintextOf(1) })
    const rewrap = async (keep_current?: boolean) =>
      kernel.handle({
        method: 'POST',
        path: '/v1/transit/rewrap/k',
        headers: { 'X-Service-Token': kernel.rootToken ?? '' },
        body: { ciphertext, ...(keep_current === undefined ? {} : { keep_current }) },
      })
    const kept = await rewrap(true)
    expect(kept.body).toMatchObject({ data: { ciphertext, key_version: 1 } })
    for (const again of [await rewrap(), await rewrap(false)]) {
      expect(again.status).toBe(200)
      expect(again.body).not.toMatchObject({ data: { ciphertext } })
    }
    const { encryptions } = (await kernel.transit.readKey({ name: 'k' })) as { encryptions: Record<string, number> }
    expect(encryptions['1']).toBe(3)
  })
})

const withoutBinding = ({ ciphertext }: RewrapItem): RewrapItem => ({ ciphertext: ciphertext ?? '' })
const withoutReference = ({ ciphertext = '', associated_data = new Uint8Array(0) }: RewrapItem) => ({
  ciphertext,
  associated_data,
})
