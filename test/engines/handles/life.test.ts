/**
 * Key handles during changes of the key, the kernel, the token and the audit log.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type AuditEntry,
  createDevKernel,
  createKernel,
  type Kernel,
  type KernelOptions,
  keySeal,
  memoryStorage,
  nobleCrypto,
  type TransitHandle,
} from '../../../src/index.ts'
import { fakeManagedKeys } from '../../../src/testing/index.ts'
import { interceptedStorage } from '../../../src/testing/intercepted-storage.ts'
import { bytesOf, utf8 } from '../../property/support.ts'

const x = utf8('x')
const codeOf = (run: () => unknown): unknown => {
  try {
    run()
    return 'answered'
  } catch (error) {
    return (error as { code?: string }).code ?? (error as Error).name
  }
}
const seen = (error: unknown) => {
  const { name, message, code } = error as { name: string; message: string; code?: string }
  return { name, message, code }
}
const thrown = (run: () => unknown): unknown => {
  try {
    return run()
  } catch (error) {
    return seen(error)
  }
}
const versionOf = (text: string): string => text.split(':')[1] as string

let kernel: Kernel
const dev = async (options: Partial<KernelOptions> = {}): Promise<void> => {
  // The default staleness of two seconds could pass on a busy machine.
  kernel = await createDevKernel({ cache: { stalenessMs: 60_000 }, ...options })
  await kernel.transit.createKey({ name: 'k' })
}
afterEach(() => kernel.close())

describe('a key handle whose key changes', () => {
  let handle: TransitHandle
  beforeEach(async () => {
    await dev()
    handle = await kernel.transit.keyHandle('k')
  })
  afterEach(() => handle.close())

  it('encrypts with the latest version, and decrypts with every version', async () => {
    const first = handle.encryptSync(x)
    await kernel.transit.rotateKey({ name: 'k' })
    await handle.refresh()
    expect(handle.ready).toBe(true)
    const second = handle.encryptSync(x)
    expect([first, second].map(versionOf)).toEqual(['v1', 'v2'])
    expect([first, second].map((text) => handle.decryptTextSync(text))).toEqual(['x', 'x'])
  })

  it('never encrypts with the previous version after a rotation, even before a refresh', async () => {
    await kernel.transit.rotateKey({ name: 'k' })
    // No encryptions are reserved for the new version yet.
    expect(codeOf(() => handle.encryptSync(x))).toBe('ERR_NOT_READY')
    await expect.poll(() => handle.ready, { timeout: 60_000, interval: 5 }).toBe(true)
    expect(versionOf(handle.encryptSync(x))).toBe('v2')
  })

  it('applies a new minimum version immediately', async () => {
    const first = handle.encryptSync(x)
    await kernel.transit.rotateKey({ name: 'k' })
    await kernel.transit.configureKey({ name: 'k', min_decryption_version: 2, min_encryption_version: 2 })
    expect(thrown(() => handle.decryptSync(first))).toEqual(
      await kernel.transit.decrypt({ name: 'k', ciphertext: first }).catch(seen),
    )
    expect(thrown(() => handle.encryptSync(x, { key_version: 1 }))).toEqual(
      await kernel.transit.encrypt({ name: 'k', plaintext: x, key_version: 1 }).catch(seen),
    )
  })

  it('throws the same error as the asynchronous methods while the key is soft-deleted', async () => {
    const text = handle.encryptSync(x)
    await kernel.transit.softDeleteKey({ name: 'k' })
    expect(handle.ready).toBe(false)
    expect(thrown(() => handle.encryptSync(x))).toEqual(await kernel.transit.encrypt({ name: 'k', plaintext: x }).catch(seen))
    expect(thrown(() => handle.decryptSync(text))).toEqual(
      await kernel.transit.decrypt({ name: 'k', ciphertext: text }).catch(seen),
    )
    await kernel.transit.undeleteKey({ name: 'k' })
    await handle.refresh()
    expect(handle.decryptTextSync(text)).toBe('x')
  })

  it('fails after the key was deleted, and does not create the key again', async () => {
    const text = handle.encryptSync(x)
    await kernel.transit.configureKey({ name: 'k', deletion_allowed: true })
    await kernel.transit.deleteKey({ name: 'k' })
    expect(codeOf(() => handle.decryptSync(text))).not.toBe('answered')
    expect(codeOf(() => handle.encryptSync(x))).not.toBe('answered')
    await expect(handle.refresh()).rejects.toMatchObject({ message: 'name: there is no key named k' })
    expect(thrown(() => handle.decryptSync(text))).toEqual(
      await kernel.transit.decrypt({ name: 'k', ciphertext: text }).catch(seen),
    )
    expect(thrown(() => handle.encryptSync(x))).toMatchObject({ message: 'name: there is no key named k' })
    expect((await kernel.transit.listKeys()).keys).toEqual([])
    await kernel.transit.createKey({ name: 'k' })
    await handle.refresh()
    expect(codeOf(() => handle.decryptSync(text))).toBe('ERR_DECRYPTION_FAILED')
    expect(handle.decryptTextSync(handle.encryptSync(x))).toBe('x')
  })

  it.each([
    { storage: 'does not answer', sync: false, before: 'ERR_NOT_READY' },
    { storage: 'answers', sync: true, before: 'answered' },
  ])(
    'loads versions older than the 256 newest ones when they are needed, if the storage $storage synchronously',
    async ({ sync, before }) => {
      const inner = memoryStorage()
      const asynchronous = { around: <T>(_: string, work: () => Promise<T>) => work(), close: () => inner.close() }
      const storage = sync ? inner : interceptedStorage(inner, asynchronous)
      const options = { storage, seal: keySeal(bytesOf(32, 1)) }
      const first = await createKernel({ ...options, initialize: true })
      await first.transit.createKey({ name: 'k' })
      const { ciphertext } = await first.transit.encrypt({ name: 'k', plaintext: x })
      for (let n = 0; n < 300; n++) await first.transit.rotateKey({ name: 'k' })
      await first.close()
      await using second = await createKernel(options)
      await using many = await second.transit.keyHandle('k')
      expect(versionOf(many.encryptSync(x))).toBe('v301')
      expect(codeOf(() => many.decryptSync(ciphertext))).toBe(before)
      await expect.poll(() => codeOf(() => many.decryptSync(ciphertext)), { timeout: 60_000, interval: 5 }).toBe('answered')
    },
  )
})

describe('the encryptions that a key handle has reserved', () => {
  it('limit how many encryptions succeed while the event loop is blocked', async () => {
    await dev()
    await using handle = await kernel.transit.keyHandle('k', { reserve: 3000 })
    let made = 0
    while (codeOf(() => handle.encryptSync(x)) === 'answered' && made < 100_000) made++
    expect(made).toBe(3000)
    expect(codeOf(() => handle.encryptSync(x))).toBe('ERR_NOT_READY')
    expect(handle.ready).toBe(false)
    // Only encryption needs a reservation.
    expect(codeOf(() => handle.hmacSync(x))).toBe('answered')
    await handle.refresh()
    expect(handle.ready).toBe(true)
    expect(codeOf(() => handle.encryptSync(x))).toBe('answered')
    // The count is never too low, but refused calls may have been counted.
    const { encryptions } = await kernel.transit.readKey({ name: 'k' })
    expect(encryptions?.['1']).toBeGreaterThanOrEqual(3001)
    expect(encryptions?.['1']).toBeLessThan(3010)
  })

  it('are replenished in the background whenever the event loop runs', async () => {
    await dev()
    await using handle = await kernel.transit.keyHandle('k', { reserve: 100 })
    for (let n = 0; n < 20; n++) {
      for (let each = 0; each < 60; each++) handle.encryptSync(x)
      await new Promise((resolve) => setImmediate(resolve))
    }
  })

  it('are not needed for key types without an encryption counter', async () => {
    await dev()
    await kernel.transit.createKey({ name: 'wide', type: 'xchacha20-poly1305' })
    await using handle = await kernel.transit.keyHandle('wide', { reserve: 0 })
    for (let n = 0; n < 5000; n++) handle.encryptSync(x)
  })
})

describe('a key handle', () => {
  it('refuses calls while the kernel is sealed, and accepts them again after unseal and refresh', async () => {
    const storage = memoryStorage()
    const options = { storage, seal: keySeal(bytesOf(32, 1)) }
    kernel = await createKernel({ ...options, initialize: true })
    await kernel.transit.createKey({ name: 'k' })
    await using handle = await kernel.transit.keyHandle('k')
    const text = handle.encryptSync(x)
    await kernel.seal.seal()
    expect(handle.ready).toBe(false)
    expect(thrown(() => handle.decryptSync(text))).toEqual(
      await kernel.transit.decrypt({ name: 'k', ciphertext: text }).catch(seen),
    )
    expect(codeOf(() => handle.encryptSync(x))).toBe('ERR_SEALED')
    await expect(handle.refresh()).rejects.toMatchObject({ code: 'ERR_SEALED' })
    await kernel.seal.unseal()
    await handle.refresh()
    expect(handle.ready).toBe(true)
    expect(handle.decryptTextSync(text)).toBe('x')
    handle.encryptSync(x)
  })

  it('is closed by `await using`, by close() and by its kernel', async () => {
    await dev()
    let kept: TransitHandle
    {
      await using handle = await kernel.transit.keyHandle('k')
      kept = handle
      expect(codeOf(() => kept.hmacSync(x))).toBe('answered')
    }
    expect(thrown(() => kept.hmacSync(x))).toMatchObject({ name: 'TypeError', message: 'the handle is closed' })
    expect(kept.ready).toBe(false)
    kept.close()
    await expect(kept.refresh()).rejects.toThrow('the handle is closed')
    const open = await kernel.transit.keyHandle('k')
    await kernel.close()
    expect(thrown(() => open.hmacSync(x))).toMatchObject({ name: 'TypeError', message: 'the kernel is closed' })
    expect(open.ready).toBe(false)
    await open[Symbol.asyncDispose]()
  })

  it('returns its unused reservations when the kernel closes', async () => {
    const storage = memoryStorage()
    const options = { storage, seal: keySeal(bytesOf(32, 1)) }
    kernel = await createKernel({ ...options, initialize: true })
    await kernel.transit.createKey({ name: 'k' })
    const handle = await kernel.transit.keyHandle('k', { reserve: 500_000 })
    for (let n = 0; n < 7; n++) handle.encryptSync(x)
    await kernel.close()
    kernel = await createKernel(options)
    expect((await kernel.transit.readKey({ name: 'k' })).encryptions).toEqual({ 1: 7 })
  })

  it('uses only the key of its own mount and namespace', async () => {
    await dev()
    await kernel.mounts.createMount({ path: 'other', type: 'transit' })
    await kernel.namespaces.createNamespace({ name: 'team' })
    await kernel.namespace('team/').mounts.createMount({ path: 'transit', type: 'transit' })
    const places = [kernel.transit, kernel.transit.at('other/'), kernel.namespace('team/').transit]
    for (const at of places.slice(1)) await at.createKey({ name: 'k' })
    const handles = await Promise.all(places.map((at) => at.keyHandle('k')))
    for (const [index, handle] of handles.entries())
      for (const [other, at] of places.entries()) {
        const opened = await at.decrypt({ name: 'k', ciphertext: handle.encryptSync(x) }).then(
          () => true,
          () => false,
        )
        expect(opened).toBe(index === other)
      }
    await kernel.mounts.deleteMount({ path: 'other' })
    expect(codeOf(() => handles[1]?.hmacSync(x))).not.toBe('answered')
    const refusal = await kernel.transit.at('other/').hmac({ name: 'k', input: x }).catch(seen)
    expect(thrown(() => handles[1]?.hmacSync(x))).toEqual(refusal)
    for (const handle of handles) handle.close()
  })

  it('cannot be opened for a managed key', async () => {
    await dev({ ports: { managedKeys: fakeManagedKeys({ keys: [{ name: 'm' }] }) } })
    await kernel.transit.createKey({ name: 'm', type: 'managed_key', managed_key_name: 'm' })
    await expect(kernel.transit.keyHandle('m')).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('managed_key'),
    })
  })
})

describe('a key handle opened with a token', () => {
  const tokenWith = async (capabilities: string, more: object = {}): Promise<string> => {
    await kernel.policies.writePolicy({ name: 'p', policy: `path "transit/encrypt/k" { capabilities = [${capabilities}] }` })
    return (await kernel.tokens.createToken({ policies: ['p'], ...more })).client_token
  }

  it('authorizes each call by the current policies of the token', async () => {
    await dev()
    const token = await tokenWith('"update"')
    await using handle = await kernel.as(token).transit.keyHandle('k')
    expect(handle.ready).toBe(true)
    const text = handle.encryptSync(x)
    expect((await kernel.transit.decrypt({ name: 'k', ciphertext: text })).plaintext).toEqual(x)
    expect(thrown(() => handle.decryptSync(text))).toEqual(
      await kernel.as(token).transit.decrypt({ name: 'k', ciphertext: text }).catch(seen),
    )
    await kernel.policies.writePolicy({ name: 'p', policy: 'path "transit/encrypt/k" { capabilities = ["deny"] }' })
    expect(codeOf(() => handle.encryptSync(x))).not.toBe('answered')
    await handle.refresh()
    expect(codeOf(() => handle.encryptSync(x))).toBe('ERR_PERMISSION_DENIED')
  })

  it('refuses calls after its token was revoked', async () => {
    await dev()
    const token = await tokenWith('"update"')
    await using handle = await kernel.as(token).transit.keyHandle('k')
    handle.encryptSync(x)
    await kernel.tokens.revokeToken({ token })
    expect(codeOf(() => handle.encryptSync(x))).not.toBe('answered')
    await handle.refresh().catch(() => {})
    expect(codeOf(() => handle.encryptSync(x))).not.toBe('answered')
  })

  it('reports permission denied for a missing key if the token lacks the permission', async () => {
    await dev()
    const token = await tokenWith('"update"')
    await using handle = await kernel.as(token).transit.keyHandle('none')
    expect(handle.ready).toBe(false)
    expect(codeOf(() => handle.hmacSync(x))).toBe('ERR_PERMISSION_DENIED')
  })

  it('cannot be opened with a limited-use token, and the attempt consumes no use', async () => {
    await dev()
    const token = await tokenWith('"update"', { num_uses: 2 })
    await expect(kernel.as(token).transit.keyHandle('k')).rejects.toMatchObject({ status: 400 })
    for (let n = 0; n < 2; n++) await kernel.as(token).transit.encrypt({ name: 'k', plaintext: x })
    await expect(kernel.as('s.none').transit.keyHandle('k')).rejects.toMatchObject({ status: 403 })
  })
})

describe('auditing of key handle calls', () => {
  const lines: string[] = []
  let broken = false
  const sink = {
    write: () => {
      throw new Error('only writeSync is used')
    },
    writeSync: ({ line }: AuditEntry) => {
      if (broken) throw new Error('the disk is full')
      lines.push(line)
    },
  }
  beforeEach(async () => {
    lines.length = 0
    broken = false
    await dev({ ports: { audit: { sinks: { log: { sink, log_raw: false } } } } })
  })
  const take = () =>
    lines.splice(0).map((line) => {
      const { time, chain, request, ...entry } = JSON.parse(line) as Record<string, unknown>
      const { id, ...of } = request as Record<string, unknown>
      return { ...entry, request: of }
    })

  it('writes the same two entries as the asynchronous method', async () => {
    await using handle = await kernel.transit.keyHandle('k')
    const { ciphertext } = await kernel.transit.encrypt({ name: 'k', plaintext: x })
    lines.length = 0
    const calls: readonly (readonly [() => unknown, () => Promise<unknown>])[] = [
      [() => handle.decryptSync(ciphertext), () => kernel.transit.decrypt({ name: 'k', ciphertext })],
      [() => handle.hmacSync(x), () => kernel.transit.hmac({ name: 'k', input: x })],
      [() => handle.decryptSync('nonsense'), () => kernel.transit.decrypt({ name: 'k', ciphertext: 'nonsense' })],
      [
        () => handle.signSync(x, { hash_algorithm: 'sha2-512' }),
        () => kernel.transit.sign({ name: 'k', input: x, hash_algorithm: 'sha2-512' }),
      ],
    ]
    for (const [now, later] of calls) {
      thrown(now)
      const entries = take()
      await later().catch(() => {})
      expect(entries).toHaveLength(2)
      expect(entries).toEqual(take())
    }
  })

  it('makes a call fail if the entry cannot be written', async () => {
    await using handle = await kernel.transit.keyHandle('k')
    broken = true
    expect(codeOf(() => handle.encryptSync(x))).toBe('ERR_AUDIT')
    broken = false
    expect(codeOf(() => handle.encryptSync(x))).toBe('answered')
  })

  it('accepts inputs of up to 32 KiB, also with log_raw, and refuses longer ones', async () => {
    await kernel.close()
    await dev({ ports: { audit: { sinks: { log: { sink, log_raw: true } } } } })
    await using handle = await kernel.transit.keyHandle('k')
    const most = bytesOf(32 * 1024, 1)
    lines.length = 0
    const text = handle.encryptSync(most)
    expect(lines).toHaveLength(2)
    expect((await kernel.transit.decrypt({ name: 'k', ciphertext: text })).plaintext).toEqual(most)
    expect(codeOf(() => handle.encryptSync(bytesOf(32 * 1024 + 1, 1)))).toBe('ERR_REQUEST_TOO_LARGE')
  })

  it('allows the sink to call the handle itself', async () => {
    await using handle = await kernel.transit.keyHandle('k')
    let nested: unknown
    const { writeSync } = sink
    sink.writeSync = (entry) => {
      writeSync(entry)
      sink.writeSync = writeSync
      nested = codeOf(() => handle.hmacSync(utf8('another')))
    }
    const { hmac } = await kernel.transit.hmac({ name: 'k', input: x })
    const again = handle.hmacSync(x)
    expect(nested).toBe('answered')
    expect(again).toBe(hmac)
  })

  it('requires that every sink has writeSync', async () => {
    await kernel.close()
    await dev({ ports: { audit: { sinks: { slow: async () => {} } } } })
    await expect(kernel.transit.keyHandle('k')).rejects.toMatchObject({
      code: 'ERR_UNSUPPORTED_OPERATION',
      message: expect.stringContaining('slow has no writeSync'),
    })
  })
})

describe('a key handle with an accelerated backend', () => {
  it('calls no platform function that returns a promise', async () => {
    await dev({ crypto: nobleCrypto() })
    await kernel.transit.createKey({ name: 's', type: 'ecdsa-p256' })
    await using handle = await kernel.transit.keyHandle('s')
    for (let n = 0; n < 3; n++) expect(handle.verifySync(x, { signature: handle.signSync(x) })).toBe(true)
  })
})
