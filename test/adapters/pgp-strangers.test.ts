/** PGP keys as anybody may send them: what of them counts, and what none of them costs. */
import { beforeAll, describe, expect, it } from 'vitest'
import { openpgp } from '../../src/adapters/pgp-openpgp/index.ts'
import { KernelError } from '../../src/index.ts'
import { MEASURED } from '../fixtures/measured.ts'
import { decryptPgp, openPgpLibrary } from '../fixtures/pgp.ts'
import {
  bytesOf,
  integer,
  keyId,
  large,
  packet,
  packetsOf,
  publicKey,
  signature,
  signedKey,
  signedName,
  subpacket,
  userId,
} from '../fixtures/pgp-packets.ts'
import { longestStretch } from '../large/stretch.ts'
import { utf8 } from '../property/support.ts'

const pgp = openpgp()
const TEXT = '4bd97a62ad9c9dae1d9dcd1ee7a5b2c6ed1e39e4b2a45a9bbd1a1cc2e5a6d1f707'
/** Milliseconds of processor time in which nothing else runs. */
const MOST = 50

interface Pair {
  readonly publicKey: Buffer
  readonly privateKey: Buffer
}

const KINDS = {
  'RSA 2048': { type: 'rsa', rsaBits: 2048 },
  'RSA 4096': { type: 'rsa', rsaBits: 4096 },
  'Ed25519 and Curve25519': { type: 'ecc' },
  'Ed25519 and X25519': { type: 'curve25519' },
  'Ed448 and X448': { type: 'curve448' },
  'P-256': { type: 'ecc', curve: 'nistP256' },
  'P-384': { type: 'ecc', curve: 'nistP384' },
  'P-521': { type: 'ecc', curve: 'nistP521' },
  'version 6': { type: 'curve25519', config: { v6Keys: true } },
} as const

async function generate(options: object): Promise<Pair> {
  const { generateKey } = await openPgpLibrary()
  const made = await generateKey({ userIDs: [{ name: 'T', email: 't@test.invalid' }], format: 'binary', ...options })
  return { publicKey: Buffer.from(made.publicKey), privateKey: Buffer.from(made.privateKey) }
}

const encrypt = (key: Uint8Array): Promise<Uint8Array> => pgp.encrypt(utf8(TEXT), Buffer.from(key).toString('base64'))

/** The reason for which a key is refused; undefined where it is taken. */
async function refusal(key: Uint8Array): Promise<string | undefined> {
  const text = Buffer.from(key).toString('base64')
  for (const ask of [() => pgp.fingerprint(text), () => pgp.encrypt(utf8(TEXT), text)]) {
    try {
      await ask()
    } catch (error) {
      expect(error).toBeInstanceOf(KernelError)
      expect((error as KernelError).status).toBe(400)
      return (error as KernelError).message
    }
  }
  return undefined
}

/** Of three tries the shortest of their longest stretches. */
async function stretchOf(work: () => Promise<unknown>): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < 3 && best > MOST; tries++) best = Math.min(best, (await longestStretch(work)).worst)
  return best
}

const keys = new Map<string, Pair>()
const pair = (kind: keyof typeof KINDS): Pair => keys.get(kind) as Pair

beforeAll(async () => {
  for (const [kind, options] of Object.entries(KINDS)) keys.set(kind, await generate(options))
})

describe('keys of people', () => {
  it.each(Object.keys(KINDS) as (keyof typeof KINDS)[])('%s: are encrypted to, under their fingerprints', async (kind) => {
    const { publicKey: key, privateKey } = pair(kind)
    const library = (await openPgpLibrary()) as unknown as {
      readKey(options: { binaryKey: Uint8Array }): Promise<{ getFingerprint(): string }>
    }
    expect(await decryptPgp(await encrypt(key), privateKey.toString('base64'))).toBe(TEXT)
    expect(await pgp.fingerprint(key.toString('base64'))).toBe((await library.readKey({ binaryKey: key })).getFingerprint())
  })

  it('count without the signatures of others, pictures and what else is passed over', async () => {
    const { publicKey: key, privateKey } = pair('P-256')
    const [primary, name, own, ...rest] = packetsOf(key).map(({ whole }) => whole) as [Buffer, Buffer, Buffer, ...Buffer[]]
    const material = bytesOf(integer(large(512)))
    const other = packet(2, signature({ type: 0x10, algorithm: 1, issuer: Buffer.alloc(8, 7), material }))
    const others = Array.from({ length: 300 }, () => other)
    const picture = packet(17, Buffer.alloc(5000))
    const flooded = Buffer.concat([
      primary,
      name,
      ...others,
      own,
      picture,
      other,
      packet(12, Buffer.of(1)),
      packet(60, Buffer.of(1)),
      ...rest,
    ])
    expect(await decryptPgp(await encrypt(flooded), privateKey.toString('base64'))).toBe(TEXT)
    expect(await pgp.fingerprint(flooded.toString('base64'))).toBe(await pgp.fingerprint(key.toString('base64')))
  })

  it('may have many names and subkeys, and count by the newest', async () => {
    const userIDs = Array.from({ length: 12 }, (_, i) => ({ name: `Name ${i}`, email: `n${i}@test.invalid` }))
    const subkeys = [...Array.from({ length: 5 }, () => ({})), { sign: true }]
    const { publicKey: key, privateKey } = await generate({ type: 'ecc', userIDs, subkeys })
    expect(await decryptPgp(await encrypt(key), privateKey.toString('base64'))).toBe(TEXT)
  })

  it('are told from each other: of several the first counts', async () => {
    const { publicKey: key, privateKey } = pair('P-256')
    const both = Buffer.concat([key, pair('RSA 2048').publicKey])
    expect(await decryptPgp(await encrypt(both), privateKey.toString('base64'))).toBe(TEXT)
  })

  it('are refused once they are revoked', async () => {
    const { publicKey: key, privateKey } = pair('P-256')
    const library = (await openPgpLibrary()) as unknown as {
      readPrivateKey(options: object): Promise<unknown>
      revokeKey(options: object): Promise<{ publicKey: Uint8Array }>
    }
    const secret = await library.readPrivateKey({ binaryKey: privateKey })
    const revoked = await library.revokeKey({ key: secret, format: 'binary' })
    expect(await refusal(key)).toBe(undefined)
    expect(await refusal(revoked.publicKey)).toContain('revoked')
  })

  it('are refused with a signature that is not right', async () => {
    for (const at of [2, 4]) {
      const parts = packetsOf(pair('Ed25519 and X25519').publicKey)
      expect(parts[at]?.tag).toBe(2)
      const body = Buffer.from(parts[at]?.body as Buffer)
      body[body.length - 1] = (body.at(-1) as number) ^ 1
      expect(await refusal(Buffer.concat(parts.map(({ whole }, i) => (i === at ? packet(2, body) : whole))))).toContain('PGP key')
    }
  })
})

/** A key that cannot be, with names and signatures that are right up to their numbers, and a subkey of the same numbers. */
function claimed(algorithm: number, material: Uint8Array, signed: Uint8Array, names = 1, signatures = 1): Buffer {
  const body = publicKey(algorithm, material)
  const issuer = keyId(body)
  const own = (type: number, over: Uint8Array): Buffer =>
    Buffer.concat(
      Array.from({ length: signatures }, (_, i) =>
        packet(2, signature({ type, algorithm, issuer, material: signed, created: 1_700_000_000 + i, over })),
      ),
    )
  const named = Array.from({ length: names }, (_, i) => {
    const text = `name ${i} <${i}@test.invalid>`
    return Buffer.concat([userId(text), own(0x13, bytesOf(signedKey(body), signedName(text)))])
  })
  return Buffer.concat([packet(6, body), ...named, packet(14, body), own(0x18, bytesOf(signedKey(body), signedKey(body)))])
}

const rsa = (octets: number, exponent: Uint8Array = Buffer.from('010001', 'hex')): Buffer =>
  bytesOf(integer(large(octets)), integer(exponent))

const dsa = (octets: number): Buffer => {
  const [modulus, base] = [integer(large(octets)), integer(large(octets - 1))]
  return bytesOf(modulus, modulus, base, base)
}

/** Of numbers that take the longest to verify. */
const dsaSignature = (octets: number): Buffer => bytesOf(integer(large(octets - 1)), integer(Buffer.of(2)))

/** A signature in a signature, and so on. */
function nested(depth: number, issuer: Uint8Array, material: Uint8Array): Buffer {
  let inner = signature({ type: 0x19, algorithm: 1, issuer, material: new Uint8Array(0) })
  for (let i = 0; i < depth; i++)
    inner = signature({ type: 0x19, algorithm: 1, issuer, material: new Uint8Array(0), unhashed: subpacket(32, inner) })
  return packet(2, signature({ type: 0x18, algorithm: 1, issuer, material, unhashed: subpacket(32, inner) }))
}

const RSA_BODY = publicKey(1, rsa(512))
const named = (...more: readonly Uint8Array[]): Buffer =>
  Buffer.concat([packet(6, RSA_BODY), userId('a <a@test.invalid>'), ...more])

const HOSTILE: Readonly<Record<string, () => Buffer>> = {
  'DSA of 16 KB': () => claimed(17, dsa(4096), dsaSignature(4096)),
  'DSA of 100 KB in small numbers': () => claimed(17, dsa(384), dsaSignature(384), 200, 2),
  ElGamal: () => claimed(16, bytesOf(integer(large(512)), integer(large(512)), integer(large(512))), integer(large(512))),
  'RSA numbers of 25 KB': () => claimed(1, rsa(8191, large(8191)), integer(large(8190))),
  'RSA of 16,384 bits': () => claimed(1, rsa(2048), integer(large(2047))),
  'an RSA exponent as long as the modulus': () => claimed(1, rsa(1024, large(1024)), integer(large(1023))),
  'an even RSA modulus': () =>
    claimed(1, bytesOf(integer(bytesOf(large(511), 0xfe)), integer(Buffer.of(3))), integer(large(512))),
  'RSA of 1,024 bits': () => claimed(1, rsa(128), integer(large(128))),
  'a signature larger than its key': () => claimed(1, rsa(512), integer(large(4096))),
  'a signature of another algorithm': () =>
    named(packet(2, signature({ type: 0x13, algorithm: 17, issuer: keyId(RSA_BODY), material: dsa(2000) }))),
  '10,000 user ids': () => claimed(1, rsa(512), integer(Buffer.of(1)), 10_000, 0),
  'as many user ids that are signed as fit': () =>
    claimed(
      19,
      bytesOf(8, Buffer.from('2a8648ce3d030107', 'hex'), integer(bytesOf(4, Buffer.alloc(64, 1)))),
      bytesOf(integer(Buffer.of(1)), integer(Buffer.of(1))),
      1300,
      1,
    ),
  '10,000 signatures': () => claimed(1, rsa(512), integer(Buffer.of(1)), 1, 2000),
  '10,000 packets of no use': () => named(...Array.from({ length: 10_000 }, () => packet(12, Buffer.of(1)))),
  'as many subkeys as fit': () =>
    Buffer.concat([packet(6, RSA_BODY), ...Array.from({ length: 350 }, () => packet(14, RSA_BODY))]),
  'signatures in signatures': () => named(packet(14, RSA_BODY), nested(200, keyId(RSA_BODY), integer(large(512)))),
  'signatures in signatures, deep': () => named(packet(14, RSA_BODY), nested(1400, keyId(RSA_BODY), integer(large(512)))),
  'compressed packets': () => named(packet(8, Buffer.alloc(1000))),
  'a compressed packet in front': () => Buffer.concat([packet(8, Buffer.alloc(1000)), pair('P-256').publicKey]),
  'a packet in pieces': () => named(bytesOf(0xc0 | 2, 0xe0, 4)),
  'an old packet without a length': () => named(Buffer.from('8b04', 'hex')),
  'a message': () => named(packet(11, Buffer.alloc(50))),
  'an unknown curve': () =>
    claimed(19, bytesOf(5, Buffer.from('2b8104000a', 'hex'), integer(bytesOf(4, Buffer.alloc(64, 1)))), integer(Buffer.of(1))),
  'a point that is not on its curve': () =>
    claimed(
      19,
      bytesOf(8, Buffer.from('2a8648ce3d030107', 'hex'), integer(bytesOf(4, Buffer.alloc(64, 1)))),
      bytesOf(integer(large(32)), integer(large(32))),
    ),
  'a user id of 100 KB': () =>
    named(userId('('.repeat(50_000) + '<'.repeat(50_000)), nested(0, keyId(RSA_BODY), integer(large(512)))),
  'an algorithm nobody knows': () => claimed(99, large(30), large(30)),
  'version 3': () => packet(6, bytesOf(3, Buffer.alloc(6), 1, rsa(256))),
  'more bytes than a key has': () => Buffer.concat([pair('P-256').publicKey, packet(60, Buffer.alloc(200_000))]),
  nothing: () => Buffer.alloc(0),
}

describe('keys of strangers', MEASURED, () => {
  it.each(Object.keys(HOSTILE))('%s: refused, and at once', async (what) => {
    const key = (HOSTILE[what] as () => Buffer)()
    // The library itself is loaded once.
    await encrypt(pair('RSA 2048').publicKey)
    let said: string | undefined
    const worst = await stretchOf(async () => {
      said = await refusal(key)
    })
    expect(said).toContain('PGP key')
    expect(worst).toBeLessThan(MOST)
  })

  it('cut off anywhere: refused', async () => {
    for (const kind of ['RSA 2048', 'Ed25519 and Curve25519', 'version 6'] as const) {
      const { publicKey: key } = pair(kind)
      for (let length = 0; length < key.length; length++) expect(await refusal(key.subarray(0, length))).toContain('PGP key')
    }
  })

  it('changed anywhere: 400 or taken, never anything else', async () => {
    const { publicKey: key } = pair('Ed25519 and Curve25519')
    for (let at = 0; at < key.length; at++) {
      const changed = Buffer.from(key)
      changed[at] = (changed[at] as number) ^ (1 << (at % 8))
      // `refusal` expects that itself.
      await refusal(changed)
    }
  })

  it('cost no stretch with all that a good one may have', async () => {
    const material = integer(large(1024))
    for (const kind of ['P-521', 'Ed448 and X448', 'RSA 4096'] as const) {
      const userIDs = Array.from({ length: 8 }, (_, i) => ({ name: `Name ${i}`, email: `n${i}@test.invalid` }))
      const { publicKey: key } = await generate({ ...KINDS[kind], userIDs, subkeys: Array.from({ length: 6 }, () => ({})) })
      const [primary, name, ...rest] = packetsOf(key).map(({ whole }) => whole) as [Buffer, Buffer, ...Buffer[]]
      const other = packet(2, signature({ type: 0x10, algorithm: 1, issuer: Buffer.alloc(8, 7), material }))
      const full = Buffer.concat([primary, name, ...Array.from({ length: 160 }, () => other), ...rest])
      expect(await stretchOf(() => encrypt(full))).toBeLessThan(MOST)
    }
  })
})
