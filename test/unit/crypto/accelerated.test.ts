/** The platform may refuse, fail or return results of the wrong length. The results of the backend must be correct in every case. */
import '../../fixtures/loaded-curves.ts'
import { webcrypto } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { systemEntropy } from '../../../src/core/base/entropy.ts'
import { accelerated } from '../../../src/core/crypto/accelerated/index.ts'
import type { Subtle } from '../../../src/core/crypto/accelerated/subtle.ts'
import type { AeadKey } from '../../../src/core/crypto/backend.ts'
import { nobleCrypto } from '../../../src/core/crypto/noble/index.ts'
import { driven, noise } from './steps.ts'

const NOBLE = nobleCrypto({ accelerate: false })
const NOTHING = new Uint8Array(0)
const LONG = noise(20_000)
const NONCE = noise(12, 2)

const refuse = async (): Promise<never> => {
  throw new Error('the platform refuses')
}

const failAtOnce = (): never => {
  throw new TypeError('the platform has no such method')
}

const shorter = async (): Promise<ArrayBuffer> => new ArrayBuffer(1)

const { subtle } = webcrypto

const PLATFORM = { subtle, shortGcmBytes: 1_000, webCryptoGcmBytes: 1_000, importingGcmBytes: 8_192 } as const

/** The real platform with some methods replaced. Records the calls. */
function platformWith(changed: Partial<Subtle>) {
  const calls: string[] = []
  const real: Subtle = subtle
  const counted = <K extends keyof Subtle>(name: K): Subtle[K] =>
    ((...args: Parameters<Subtle[K]>) => {
      calls.push(name)
      return Reflect.apply(changed[name] ?? real[name], real, args)
    }) as Subtle[K]
  const watchedSubtle: Subtle = {
    importKey: counted('importKey'),
    encrypt: counted('encrypt'),
    decrypt: counted('decrypt'),
    sign: counted('sign'),
    verify: counted('verify'),
  }
  const crypto = accelerated(NOBLE, { ...PLATFORM, subtle: watchedSubtle })
  return { crypto, calls }
}

const FAILURES = [
  ['rejects every import', { importKey: refuse }],
  ['throws on every import', { importKey: failAtOnce }],
  ['rejects every operation', { encrypt: refuse, decrypt: refuse, sign: refuse, verify: refuse }],
  ['throws on every operation', { encrypt: failAtOnce, decrypt: failAtOnce, sign: failAtOnce, verify: failAtOnce }],
  ['returns results of the wrong length', { encrypt: shorter, decrypt: shorter, sign: shorter }],
] as const satisfies readonly (readonly [string, Partial<Subtle>])[]

describe.each(FAILURES)('an accelerated backend whose platform %s', (_, failing) => {
  it('encrypts and decrypts like the noble backend', async () => {
    const { crypto } = platformWith(failing)
    const key = crypto.aead('aes-gcm', noise(32))
    const expected = new Uint8Array(LONG.length + 16)
    NOBLE.aead('aes-gcm', noise(32)).seal(NONCE, LONG, NOTHING, expected, 0)
    for (let use = 0; use < 2; use++) {
      const out = new Uint8Array(LONG.length + 16)
      await driven(key.sealSteps(NONCE, LONG, NOTHING, out, 0))
      expect(Buffer.compare(out, expected)).toBe(0)
      expect(Buffer.compare((await driven(key.openSteps(NONCE, out, NOTHING)))!, LONG)).toBe(0)
      out[7]! ^= 1
      expect(await driven(key.openSteps(NONCE, out, NOTHING))).toBeUndefined()
    }
  })

  it('signs and verifies like the noble backend', async () => {
    const { crypto } = platformWith(failing)
    const scalar = NOBLE.ecdsaGenerate('P-256', (n) => noise(n, 3))
    const key = crypto.ecdsaSign('P-256', scalar)
    const verifier = crypto.ecdsaVerify('P-256', key.publicKey)
    for (let use = 0; use < 2; use++) {
      const signature = await driven(key.signMessageSteps(noise(64), 'sha2-256', systemEntropy()))
      expect(NOBLE.ecdsaVerify('P-256', key.publicKey).verifyMessage(signature, noise(64), 'sha2-256')).toBe(true)
      expect(await driven(verifier.verifyMessageSteps(signature, noise(64), 'sha2-256'))).toBe(true)
      expect(await driven(verifier.verifyMessageSteps(signature, noise(65), 'sha2-256'))).toBe(false)
    }
  })
})

/** Only a hanging test waits for a minute. */
const SOON = { timeout: 60_000, interval: 5 } as const

describe('calls of an accelerated backend to the platform', () => {
  it('import each key only once, as not extractable', async () => {
    const keys: unknown[] = []
    const { crypto, calls } = platformWith({
      importKey: async (...args) => {
        const key = await subtle.importKey(...(args as Parameters<typeof subtle.importKey>))
        keys.push(key.extractable)
        return key
      },
    })
    const key = crypto.aead('aes-gcm', noise(16))
    const scalar = NOBLE.ecdsaGenerate('P-384', (n) => noise(n, 3))
    const signing = crypto.ecdsaSign('P-384', scalar)
    await Promise.all(
      [1, 2, 3].flatMap(() => [
        driven(key.sealSteps(NONCE, LONG, NOTHING, new Uint8Array(LONG.length + 16), 0)),
        driven(signing.signMessageSteps(LONG, 'sha2-384', systemEntropy())),
      ]),
    )
    expect(calls.filter((name) => name === 'importKey')).toHaveLength(2)
    expect(calls.filter((name) => name === 'encrypt')).toHaveLength(3)
    expect(calls.filter((name) => name === 'sign')).toHaveLength(3)
    expect(keys).toEqual([false, false])
  })

  it('are avoided for short messages, synchronous calls and the first medium-sized message of a key', async () => {
    const { crypto, calls } = platformWith({})
    const key = crypto.aead('aes-gcm', noise(32))
    const middling = (size: number) => driven(key.sealSteps(NONCE, noise(size), NOTHING, new Uint8Array(size + 16), 0))
    for (let use = 0; use < 3; use++) await middling(1_000)
    key.seal(NONCE, LONG, NOTHING, new Uint8Array(LONG.length + 16), 0)
    await middling(1_001)
    expect(calls).toEqual([])
    await middling(1_001)
    expect(calls).toEqual(['importKey', 'encrypt'])
  })

  it('are avoided for hashes that the platform lacks, and for signatures with entropy from the application', async () => {
    const { crypto, calls } = platformWith({})
    const key = crypto.ecdsaSign(
      'P-256',
      NOBLE.ecdsaGenerate('P-256', (n) => noise(n, 3)),
    )
    await driven(key.signMessageSteps(noise(9), 'sha3-256', systemEntropy()))
    await driven(key.signMessageSteps(noise(9), 'sha2-256', { bytes: (n) => noise(n) }))
    const signature = key.signMessage(noise(9), 'sha2-256', systemEntropy())
    key.signDigest(noise(32), noise(32))
    expect(crypto.ecdsaVerify('P-256', key.publicKey).verifyMessage(signature, noise(9), 'sha2-256')).toBe(true)
    expect(calls).toEqual([])
  })
})

/** Deno rejects valid signatures of digests that are shorter than half of the order. */
describe('an accelerated backend whose platform rejects all signatures', () => {
  it.each([
    ['P-384', 'sha1', true],
    ['P-521', 'sha2-256', true],
    ['P-256', 'sha1', false],
    ['P-384', 'sha2-256', false],
  ] as const)('verifies again with noble on %s with %s: %s', async (curve, hash, expected) => {
    const { crypto } = platformWith({ verify: async () => false })
    const key = NOBLE.ecdsaSign(
      curve,
      NOBLE.ecdsaGenerate(curve, (n) => noise(n, 3)),
    )
    const verifier = crypto.ecdsaVerify(curve, key.publicKey)
    const signature = key.signMessage(noise(9), hash, systemEntropy())
    expect(await driven(verifier.verifyMessageSteps(signature, noise(9), hash))).toBe(expected)
    expect(await driven(verifier.verifyMessageSteps(signature, noise(8), hash))).toBe(false)
  })
})

describe('an accelerated backend under concurrent operations', () => {
  /** A platform whose encryptions complete when the test says so. */
  function slow() {
    const waiting: { readonly go: () => void; readonly fail: () => void }[] = []
    let most = 0
    const encrypt: Subtle['encrypt'] = (algorithm, key, plaintext) => {
      const answer = Reflect.apply(subtle.encrypt, subtle, [algorithm, key, plaintext]) as Promise<ArrayBuffer>
      return new Promise((resolve, reject) => {
        waiting.push({ go: () => resolve(answer), fail: () => reject(new Error('no')) })
        most = Math.max(most, waiting.length)
      })
    }
    return { waiting, most: () => most, ...platformWith({ encrypt }) }
  }

  it('returns correct results if inputs are overwritten and operations fail, with at most eight at a time', async () => {
    const { crypto, waiting, most } = slow()
    const key = crypto.aead('aes-gcm', noise(32))
    const texts = Array.from({ length: 20 }, (_, at) => noise(20_000, at + 1))
    const outs = texts.map(() => new Uint8Array(20_016))
    const all = texts.map((text, at) => driven(key.sealSteps(NONCE, text, NOTHING, outs[at] as Uint8Array, 0)))
    const expected = texts.map((text) => {
      const out = new Uint8Array(20_016)
      NOBLE.aead('aes-gcm', noise(32)).seal(NONCE, text, NOTHING, out, 0)
      return out
    })
    await vi.waitFor(() => expect(waiting).toHaveLength(8), SOON)
    for (const text of texts) text.fill(0)
    for (let done = 0; done < 20; done++) {
      await vi.waitFor(() => expect(waiting.length).toBeGreaterThan(0), SOON)
      const next = waiting.shift()
      if (done % 3 === 0) next?.fail()
      else next?.go()
    }
    await Promise.all(all)
    expect(most()).toBe(8)
    for (const [at, out] of outs.entries()) expect(Buffer.compare(out, expected[at] as Uint8Array)).toBe(0)
  })

  it('starts no platform operation for a key that was wiped while it waited', async () => {
    const { crypto, waiting, calls } = slow()
    const [key, otherKey] = [crypto.aead('aes-gcm', noise(32)), crypto.aead('aes-gcm', noise(32, 2))]
    const seal = (of: typeof key) => driven(of.sealSteps(NONCE, LONG, NOTHING, new Uint8Array(LONG.length + 16), 0))
    const first = Array.from({ length: 8 }, () => seal(key))
    await vi.waitFor(() => expect(waiting).toHaveLength(8), SOON)
    const late = seal(otherKey).catch((error: unknown) => error)
    await vi.waitFor(() => expect(calls.filter((name) => name === 'importKey')).toHaveLength(2), SOON)
    otherKey.wipe()
    for (const { go } of waiting) go()
    await Promise.all(first)
    expect(await late).toBeInstanceOf(TypeError)
    expect(calls.filter((name) => name === 'encrypt')).toHaveLength(8)
  })
})

describe('a pending platform operation', () => {
  it.each(['sealing', 'opening', 'signing'] as const)(
    'for %s rejects if the key is wiped, and its late result is wiped',
    async (what) => {
      const late: Uint8Array[] = []
      let release: () => void = () => {}
      const held = new Promise<void>((resolve) => {
        release = resolve
      })
      const slowly =
        <A extends unknown[]>(work: (...args: A) => Promise<ArrayBuffer>) =>
        async (...args: A) => {
          const bytes = await work(...args)
          late.push(new Uint8Array(bytes))
          await held
          return bytes
        }
      const real: Subtle = subtle
      const { crypto } = platformWith({
        encrypt: slowly((...args) => real.encrypt(...args)),
        decrypt: slowly((...args) => real.decrypt(...args)),
        sign: slowly((...args) => real.sign(...args)),
      })
      const sealed = new Uint8Array(LONG.length + 16)
      NOBLE.aead('aes-gcm', noise(32)).seal(NONCE, LONG, NOTHING, sealed, 0)
      const aead = crypto.aead('aes-gcm', noise(32))
      const signing = crypto.ecdsaSign(
        'P-256',
        NOBLE.ecdsaGenerate('P-256', (n) => noise(n, 3)),
      )
      const work = {
        sealing: () => driven<unknown>(aead.sealSteps(NONCE, LONG, NOTHING, new Uint8Array(LONG.length + 16), 0)),
        opening: () => driven<unknown>(aead.openSteps(NONCE, sealed, NOTHING)),
        signing: () => driven<unknown>(signing.signMessageSteps(LONG, 'sha2-256', systemEntropy())),
      }[what]
      const outcome = expect(work()).rejects.toThrow(TypeError)
      while (late.length === 0) await new Promise((resolve) => setImmediate(resolve))
      aead.wipe()
      signing.wipe()
      release()
      await outcome
      expect(late[0]?.every((byte) => byte === 0)).toBe(true)
      await expect(work()).rejects.toThrow(TypeError)
    },
  )

  it.each(['before its result arrives', 'after its result has arrived'])(
    'has its result wiped and frees its slot if it is abandoned %s',
    async (when) => {
      let isCalled = false
      const made: ArrayBuffer[] = []
      const real: Subtle = subtle
      const { crypto } = platformWith({
        decrypt: async (...args) => {
          isCalled = true
          const bytes = await real.decrypt(...args)
          made.push(bytes)
          return bytes
        },
      })
      const sealed = new Uint8Array(LONG.length + 16)
      const key = crypto.aead('aes-gcm', noise(32))
      key.seal(NONCE, LONG, NOTHING, sealed, 0)
      // More operations than can run at the same time.
      for (let n = 0; n < 20; n++) {
        isCalled = false
        const steps = key.openSteps(NONCE, sealed, NOTHING)
        let begun = steps.next()
        while (!isCalled) {
          await begun.value
          begun = steps.next()
        }
        if (when === 'after its result has arrived') await begun.value
        steps.return(undefined)
        await begun.value
      }
      expect(made.map(({ byteLength }) => byteLength)).toEqual(Array(20).fill(LONG.length))
      expect(made.every((bytes) => new Uint8Array(bytes).every((byte) => byte === 0))).toBe(true)
      expect(Buffer.compare((await driven(key.openSteps(NONCE, sealed, NOTHING)))!, LONG)).toBe(0)
    },
  )

  it('that is abandoned while it waits for a slot does not block later operations', async () => {
    const waiting: (() => void)[] = []
    const real: Subtle = subtle
    const { crypto } = platformWith({
      encrypt: async (...args) => {
        await new Promise<void>((resolve) => waiting.push(resolve))
        return real.encrypt(...args)
      },
    })
    const key = crypto.aead('aes-gcm', noise(32))
    const seal = () => key.sealSteps(NONCE, LONG, NOTHING, new Uint8Array(LONG.length + 16), 0)
    const all = Array.from({ length: 8 }, () => driven(seal()))
    await vi.waitFor(() => expect(waiting).toHaveLength(8), SOON)
    const abandoned = Array.from({ length: 8 }, () => {
      const steps = seal()
      const { value } = steps.next()
      return { steps, value }
    })
    for (const { steps } of abandoned) steps.return()
    const queued = Array.from({ length: 8 }, () => driven(seal()))
    for (let at = 0; at < 16; at++) {
      await vi.waitFor(() => expect(waiting.length).toBeGreaterThan(at), SOON)
      waiting[at]!()
    }
    await Promise.all([...all, ...queued])
  })
})

describe('ChaCha20-Poly1305 of an accelerated backend', () => {
  const sealed = (platformKey: AeadKey | undefined): Buffer => {
    const crypto = accelerated(NOBLE, { ...PLATFORM, chacha: () => platformKey })
    const out = Buffer.alloc(LONG.length + 16)
    crypto.aead('chacha20-poly1305', noise(32)).seal(NONCE, LONG, NOTHING, out, 0)
    return out
  }

  it('uses the platform if the platform has the cipher', () => {
    const key = NOBLE.aead('chacha20-poly1305', noise(32, 9))
    const out = Buffer.alloc(LONG.length + 16)
    key.seal(NONCE, LONG, NOTHING, out, 0)
    expect(Buffer.compare(sealed(key), out)).toBe(0)
  })

  it('uses noble if the platform does not have the cipher', () => {
    expect(Buffer.compare(sealed(undefined), sealed(NOBLE.aead('chacha20-poly1305', noise(32))))).toBe(0)
  })

  it('refuses keys of another length', () => {
    const crypto = accelerated(NOBLE, { ...PLATFORM, chacha: () => NOBLE.aead('chacha20-poly1305', noise(32)) })
    expect(() => crypto.aead('chacha20-poly1305', noise(31))).toThrow(TypeError)
  })
})
