/**
 * Well-formed but unsound keys from outside: points of small order, non-canonical encodings, points that are not on the curve, and
 * inconsistent RSA numbers. Every operation that accepts a key refuses them.
 */
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nodeCrypto } from '../../src/adapters/crypto-node/index.ts'
import { ecPkcs8 } from '../../src/core/crypto/asn1/ec-keys.ts'
import { ed25519Spki } from '../../src/core/crypto/asn1/ed25519-keys.ts'
import { nobleCrypto } from '../../src/core/crypto/noble/index.ts'
import { type RsaNumbers, rsaNumbersOf, rsaPkcs8 } from '../../src/core/crypto/rsa/index.ts'
import { sealBox } from '../../src/core/crypto/sealed-box.ts'
import { ecSpkiDer } from '../../src/core/crypto/spki.ts'
import { VerificationKeys } from '../../src/core/jwt/verification-keys.ts'
import { type Kernel, KernelError } from '../../src/index.ts'
import { sealTo } from '../../src/sys/replication/channel/box.ts'
import { seededEntropy } from '../../src/testing/index.ts'
import { pkcs8Of, RSA_PAIR } from '../fixtures/rsa-keys.ts'
import { runs } from '../fixtures/runs.ts'
import { ask, base64 } from '../property/support.ts'
import { vaultKernelForImports } from './golden/load.ts'
import { backupText, type Plain, refused, restoreText } from './hostile/refusals.ts'
import { wrapped, wrappingKey } from './import-blob.ts'

const hex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'))
const pem = (spki: Uint8Array): string => `-----BEGIN PUBLIC KEY-----\n${base64(spki)}\n-----END PUBLIC KEY-----\n`

/** The y-coordinates of all points of small order; each is tested with both signs. */
const SMALL_Y = [
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
]
/** y = p + 3 and above: non-canonical encodings of y = 3 and above, for those y that belong to a point. */
const SECOND_Y = Array.from(
  { length: runs({ quick: 4, soak: 16 }) },
  (_, at) => `${(0xf0 + at).toString(16)}${'ff'.repeat(30)}7f`,
)

const withSign = (y: string): Uint8Array => {
  const bytes = hex(y)
  bytes[31]! |= 0x80
  return bytes
}

const UNSOUND_ED25519 = [...SMALL_Y, ...SECOND_Y].flatMap((y) => [hex(y), withSign(y)])

const CURVES = { 'P-256': ['ecdsa-p256', 2, 32], 'P-384': ['ecdsa-p384', 6, 48], 'P-521': ['ecdsa-p521', 7, 66] } as const

function unsoundPoints(curve: keyof typeof CURVES): readonly Uint8Array[] {
  const { x, y } = generateKeyPairSync('ec', { namedCurve: curve }).publicKey.export({ format: 'jwk' })
  const [, , bytes] = CURVES[curve]
  const good = Uint8Array.from([4, ...Buffer.from(x!, 'base64url'), ...Buffer.from(y!, 'base64url')])
  const changed = (at: number): Uint8Array => good.map((byte, index) => (index === at ? byte ^ 1 : byte))
  const zero = new Uint8Array(1 + 2 * bytes)
  zero[0] = 4
  const large = zero.slice().fill(0xff, 1)
  return [changed(bytes), changed(2 * bytes), zero, large]
}

let kernel: Kernel
let recipient: string
const post = (path: string, body: object) => ask(kernel, 'POST', path, body)

beforeAll(async () => {
  kernel = await vaultKernelForImports()
  recipient = await wrappingKey(kernel)
  for (const [curve, [type]] of Object.entries(CURVES)) await kernel.transit.createKey({ name: `base-${curve}`, type })
})
afterAll(() => kernel.close())

/** Expects a refusal as a new key, as a new version, and in a backup. */
async function refusedEverywhere(type: string, number: number, spki: Uint8Array, archived: Plain): Promise<void> {
  const public_key = pem(spki)
  await refused(kernel, () => post('keys/new/import', { type, public_key }))
  await refused(kernel, () => post(`keys/${type}/import_version`, { public_key }))
  await refused(kernel, () => restoreText(kernel, backupText({ policy: { type: number }, version: { key: null, ...archived } })))
}

describe('an Ed25519 public key', () => {
  it('is refused by import and restore if it has small order or is a non-canonical encoding', async () => {
    const good = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'der' })
    await post('keys/ed25519/import', { type: 'ed25519', public_key: pem(good) })
    for (const bytes of UNSOUND_ED25519) await refusedEverywhere('ed25519', 2, ed25519Spki(bytes), { public_key: base64(bytes) })
  })
})

describe.each(Object.entries(CURVES))('a %s public key whose point is not on the curve', (curve, [type, number]) => {
  it('is refused by import, restore and key agreement', async () => {
    const name = curve as keyof typeof CURVES
    const good = generateKeyPairSync('ec', { namedCurve: curve }).publicKey.export({ type: 'spki', format: 'der' })
    await post(`keys/${type}/import`, { type, public_key: pem(good) })
    for (const point of unsoundPoints(name)) {
      const spki = ecSpkiDer(name, point)
      const half = (point.length - 1) / 2
      const number_ = (from: number) => `#${BigInt(`0x${Buffer.from(point.subarray(from, from + half)).toString('hex')}`)}`
      await refusedEverywhere(type, number, spki, { ec_x: number_(1), ec_y: number_(1 + half) })
      await refused(kernel, () => post('derive-key/made', { base_key_name: `base-${curve}`, peer_public_key: pem(spki) }))
      expect(() => VerificationKeys.of([pem(spki)], 'pem_keys', nobleCrypto())).toThrow(KernelError)
    }
  })

  it('is refused by import as a part of a private key', async () => {
    const name = curve as keyof typeof CURVES
    const { d } = generateKeyPairSync('ec', { namedCurve: curve }).privateKey.export({ format: 'jwk' })
    for (const point of unsoundPoints(name)) {
      const material = ecPkcs8(name, Uint8Array.from(Buffer.from(d!, 'base64url')), point)
      await refused(kernel, () => post('keys/new/import', { type, ciphertext: base64(wrapped(recipient, material)) }))
    }
  })
})

describe('an X25519 public key of low order', () => {
  it('is refused by sealBox and sealTo', () => {
    const low = [
      ...SMALL_Y.slice(0, 2),
      'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
      '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157',
      ...SMALL_Y.slice(4),
    ]
    const entropy = seededEntropy('low order')
    for (const key of low.flatMap((number) => [hex(number), withSign(number)])) {
      expect(sealBox(Uint8Array.of(1), key, entropy)).toBeUndefined()
      for (const crypto of [nobleCrypto(), nodeCrypto()]) {
        const steps = sealTo({ crypto, entropy }, key, Uint8Array.of(1), 'context')
        let step = steps.next()
        while (!step.done) step = steps.next()
        expect(step.value).toBeUndefined()
      }
    }
  })
})

describe('an RSA private key', () => {
  const numbers = rsaNumbersOf(Uint8Array.from(pkcs8Of(RSA_PAIR)))
  const { n, e, d, p, q, dp, dq, qInv } = numbers
  const UNSOUND: Readonly<Record<string, Partial<RsaNumbers>>> = {
    ...Object.fromEntries(Object.entries(numbers).map(([name, value]) => [`a wrong ${name}`, { [name]: value + 2n }])),
    'dp and dq exchanged': { dp: dq, dq: dp },
    'dp increased by p - 1': { dp: dp + p - 1n },
    'qInv of the other prime': { qInv: (qInv * p) % q },
    'no dp': { dp: 0n },
    'the primes 1 and n': { p: 1n, q: n },
    'a private exponent of one': { d: 1n },
    'an exponent of one': { e: 1n },
  }
  const archived = (parts: RsaNumbers) => ({
    rsa_key: {
      N: `#${parts.n}`,
      E: `#${parts.e}`,
      D: `#${parts.d}`,
      Primes: [`#${parts.p}`, `#${parts.q}`],
      Precomputed: { Dp: `#${parts.dp}`, Dq: `#${parts.dq}`, Qinv: `#${parts.qInv}`, CRTValues: [] },
    },
  })

  it.each(Object.entries(UNSOUND))('is refused by import and restore if it has %s', async (name, change) => {
    const changed = { ...numbers, ...change }
    const ciphertext = base64(wrapped(recipient, rsaPkcs8(changed)))
    await refused(kernel, () => post('keys/new/import', { type: 'rsa-2048', ciphertext }), /RSA/)
    // In a backup, zero means that the number is missing and is computed.
    if (name === 'no dp') return
    await refused(
      kernel,
      () => restoreText(kernel, backupText({ policy: { type: 3 }, version: { key: null, ...archived(changed) } })),
      /RSA/,
    )
  })

  it('is accepted if its numbers are consistent, and in a backup even without the CRT values', async () => {
    expect([e, d > 1n]).toEqual([65537n, true])
    expect(createPublicKey(RSA_PAIR.privateKey).asymmetricKeyType).toBe('rsa')
    const ciphertext = base64(wrapped(recipient, rsaPkcs8(numbers)))
    expect((await post('keys/sound/import', { type: 'rsa-2048', ciphertext })).status).toBe(204)
    const whole = backupText({ policy: { type: 3 }, version: { key: null, ...archived(numbers) } })
    expect((await restoreText(kernel, whole)).status).toBe(204)
    const few = { ...numbers, dp: 0n, dq: 0n, qInv: 0n }
    const partial = backupText({ policy: { type: 3 }, version: { key: null, ...archived(few) } })
    expect((await restoreText(kernel, partial, { force: true })).status).toBe(204)
  })
})
