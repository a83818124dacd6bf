/**
 * Key handles on a storage that other processes write to. Changes take effect within the staleness bound, with or without notifications.
 */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createKernel, type Kernel, keySeal, memoryStorage, nobleCrypto, type Storage } from '../../../src/index.ts'
import { type FakeClock, fakeClock } from '../../../src/testing/index.ts'
import { bytesOf, utf8 } from '../../property/support.ts'

const BOUND = 2000
const x = utf8('x')
const versionOf = (text: string): string => text.split(':')[1] as string
const codeOf = (run: () => unknown): unknown => {
  try {
    run()
    return 'answered'
  } catch (error) {
    return (error as { code?: string }).code ?? (error as Error).name
  }
}

interface Line {
  storage: Storage
  away: boolean
  reads: number
}

/** A storage that other processes write to, without synchronous reads. With `deaf`, it never notifies of changes. */
function lineTo(inner: Storage, deaf: boolean): Line {
  const line = { away: false, reads: 0 } as Line
  const { getSync: _, ...rest } = inner
  const through = <A extends unknown[], R>(call: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      if (line.away) throw new Error('the storage is away')
      return call(...args)
    }
  }
  const ask = through(inner.revision)
  line.storage = {
    ...rest,
    getMany: through(inner.getMany),
    revision: () => {
      line.reads++
      return ask()
    },
    ...(deaf ? { watch: async () => async () => {} } : {}),
  }
  return line
}

const opened: Kernel[] = []
afterEach(() => Promise.all(opened.splice(0).map((kernel) => kernel.close())))

const openOn = async (storage: Storage, clock: FakeClock, stalenessMs = BOUND): Promise<Kernel> => {
  const crypto = nobleCrypto({ accelerate: false })
  const kernel = await createKernel({
    storage,
    clock,
    crypto,
    cache: { stalenessMs },
    seal: keySeal(bytesOf(32, 8)),
    initialize: true,
  })
  opened.push(kernel)
  return kernel
}

async function pair(deaf: boolean) {
  const clock = fakeClock()
  const inner = memoryStorage()
  const line = lineTo(inner, deaf)
  const writer = await openOn(inner, clock)
  await writer.transit.createKey({ name: 'k' })
  const reader = await openOn(line.storage, clock)
  const handle = await reader.transit.keyHandle('k')
  return { clock, inner, line, writer, handle }
}

describe.each([
  ['with change notifications', false],
  ['without change notifications', true],
])('a key handle %s', (_, deaf) => {
  it('uses a rotated key at the latest when the staleness bound has passed, and never the previous version afterwards', async () => {
    const { clock, writer, handle } = await pair(deaf)
    await writer.transit.rotateKey({ name: 'k' })
    const made: string[] = []
    for (let passed = 0; passed < 3 * BOUND; passed += 50) {
      if (codeOf(() => made.push(`${passed >= BOUND ? 'late' : 'soon'} ${versionOf(handle.encryptSync(x))}`)) !== 'answered')
        made.push('refused')
      await clock.advance(50)
    }
    expect(made).not.toContain('late v1')
    expect(made).not.toContain('soon v3')
    expect(made.at(-1)).toBe('late v2')
    expect(made.indexOf('late v2')).toBeGreaterThan(made.lastIndexOf('soon v1'))
  })

  it.each([
    [
      'an increase of min_decryption_version',
      (kernel: Kernel) => kernel.transit.configureKey({ name: 'k', min_decryption_version: 2 }),
    ],
    ['a soft deletion', (kernel: Kernel) => kernel.transit.softDeleteKey({ name: 'k' })],
    ['a deletion', (kernel: Kernel) => kernel.transit.deleteKey({ name: 'k' })],
    [
      'deletion and re-creation of the key',
      async (kernel: Kernel) => {
        await kernel.transit.deleteKey({ name: 'k' })
        await kernel.transit.createKey({ name: 'k' })
      },
    ],
    ['deletion of the mount', (kernel: Kernel) => kernel.mounts.deleteMount({ path: 'transit/' })],
  ])('decrypts nothing once the staleness bound has passed since %s', async (_name, change) => {
    const { clock, writer, handle } = await pair(deaf)
    await writer.transit.rotateKey({ name: 'k' })
    await writer.transit.configureKey({ name: 'k', deletion_allowed: true })
    const { ciphertext } = await writer.transit.encrypt({ name: 'k', plaintext: x, key_version: 1 })
    await handle.refresh()
    await clock.advance(2 * BOUND)
    await handle.refresh()
    expect(codeOf(() => handle.decryptSync(ciphertext))).toBe('answered')
    await change(writer)
    await clock.advance(BOUND)
    for (let passed = 0; passed < 2 * BOUND; passed += 100) {
      expect(codeOf(() => handle.decryptSync(ciphertext))).not.toBe('answered')
      await clock.advance(100)
    }
  })
})

describe('the staleness bound of a key handle', () => {
  it('is renewed in the background, so the first call after an idle time succeeds', async () => {
    const { clock, line, handle } = await pair(false)
    const before = line.reads
    await clock.advance(60 * BOUND)
    expect(codeOf(() => handle.encryptSync(x))).toBe('answered')
    expect(handle.ready).toBe(true)
    // The handle renews its freshness at least once per half of the bound.
    expect(line.reads - before).toBeGreaterThanOrEqual(120)
    handle.close()
    const closed = line.reads
    await clock.advance(60 * BOUND)
    expect(line.reads).toBe(closed)
  })

  it('makes calls fail during a long storage outage, and calls succeed again after it', async () => {
    const { clock, line, handle } = await pair(false)
    line.away = true
    await clock.advance(BOUND / 4)
    expect(codeOf(() => handle.encryptSync(x))).toBe('answered')
    await clock.advance(BOUND)
    expect(codeOf(() => handle.encryptSync(x))).toBe('ERR_NOT_READY')
    expect(handle.ready).toBe(false)
    await expect(handle.refresh()).rejects.toMatchObject({ status: 503 })
    line.away = false
    await clock.advance(BOUND)
    expect(codeOf(() => handle.encryptSync(x))).toBe('answered')
  })

  it.each([-86_400_000, -1, 86_400_000])('is respected even if the clock jumps by %d ms', async (jump) => {
    const { clock, writer, handle } = await pair(true)
    await writer.transit.rotateKey({ name: 'k' })
    clock.set(clock.now() + jump)
    if (jump < 0 || jump >= BOUND) expect(codeOf(() => handle.encryptSync(x))).toBe('ERR_NOT_READY')
    await clock.advance(BOUND)
    await handle.refresh()
    expect(versionOf(handle.encryptSync(x))).toBe('v2')
  })

  it('is checked with one clock reading per call, and makes every method fail once it has passed', async () => {
    const { clock, line, handle } = await pair(true)
    const ciphertext = handle.encryptSync(x)
    const calls = [() => handle.encryptSync(x), () => handle.decryptSync(ciphertext), () => handle.hmacSync(x)]
    const now = vi.spyOn(clock, 'now')
    for (const call of calls) {
      now.mockClear()
      call()
      expect(now).toHaveBeenCalledTimes(1)
    }
    now.mockRestore()
    line.away = true
    await clock.advance(BOUND)
    for (const call of calls) expect(codeOf(call)).toBe('ERR_NOT_READY')
  })

  it('makes keyHandle fail with ERR_UNSUPPORTED_OPERATION if it is 0', async () => {
    const clock = fakeClock()
    const kernel = await openOn(memoryStorage(), clock, 0)
    await kernel.transit.createKey({ name: 'k' })
    await expect(kernel.transit.keyHandle('k')).rejects.toMatchObject({ code: 'ERR_UNSUPPORTED_OPERATION' })
  })
})

describe('two kernels with handles for the same key', () => {
  it('never make more encryptions than the encryption counter shows', async () => {
    const { clock, inner, writer, handle } = await pair(false)
    const otherHandle = await writer.transit.keyHandle('k', { reserve: 10 })
    let made = 0
    for (let round = 0; round < 40; round++) {
      for (const each of [handle, otherHandle])
        for (let n = 0; n < 700; n++) if (codeOf(() => each.encryptSync(x)) === 'answered') made++
      if (round % 4 === 0) await clock.advance(BOUND / 4)
    }
    await Promise.all(opened.splice(0).map((kernel) => kernel.close()))
    const { encryptions } = await (await openOn(inner, clock)).transit.readKey({ name: 'k' })
    expect(made).toBeGreaterThan(1000)
    expect(encryptions?.['1']).toBeGreaterThanOrEqual(made)
    // No process crashed, so only refused calls may have been counted in addition.
    expect(encryptions?.['1']).toBeLessThan(made + 100)
  })
})
