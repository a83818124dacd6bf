/** Valid and hostile PGP keys, and the outcome of encrypting to them. */
import { expect } from 'vitest'
import { openpgp } from '../../src/adapters/pgp-openpgp/index.ts'
import { KernelError } from '../../src/index.ts'
import { openPgpLibrary } from '../fixtures/pgp.ts'
import {
  bytesOf,
  integer,
  keyId,
  large,
  packet,
  publicKey,
  signature,
  signedKey,
  signedName,
  subpacket,
  userId,
} from '../fixtures/pgp-packets.ts'
import { utf8 } from '../property/support.ts'

export const pgp = openpgp()
export const TEXT = '4bd97a62ad9c9dae1d9dcd1ee7a5b2c6ed1e39e4b2a45a9bbd1a1cc2e5a6d1f707'

interface Pair {
  readonly publicKey: Buffer
  readonly privateKey: Buffer
}

export const KINDS = {
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

export async function generate(options: object): Promise<Pair> {
  const { generateKey } = await openPgpLibrary()
  const made = await generateKey({ userIDs: [{ name: 'T', email: 't@test.invalid' }], format: 'binary', ...options })
  return { publicKey: Buffer.from(made.publicKey), privateKey: Buffer.from(made.privateKey) }
}

export const encrypt = (key: Uint8Array): Promise<Uint8Array> => pgp.encrypt(utf8(TEXT), Buffer.from(key).toString('base64'))

/** The message with which a key is refused; undefined if it is accepted. */
export async function refusal(key: Uint8Array): Promise<string | undefined> {
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

export type Kind = keyof typeof KINDS

const keys = new Map<Kind, Pair>()
export const pair = (kind: Kind): Pair => keys.get(kind) as Pair

/** Makes the keys that `pair` returns. */
export async function makePairs(kinds: readonly Kind[]): Promise<void> {
  for (const kind of kinds) if (!keys.has(kind)) keys.set(kind, await generate(KINDS[kind]))
}

/** A key whose user ids, signatures and subkey are well-formed, but whose numbers are invalid. */
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

/** A signature whose numbers take the longest to verify. */
const dsaSignature = (octets: number): Buffer => bytesOf(integer(large(octets - 1)), integer(Buffer.of(2)))

/** Signatures nested inside each other. */
function nested(depth: number, issuer: Uint8Array, material: Uint8Array): Buffer {
  let inner = signature({ type: 0x19, algorithm: 1, issuer, material: new Uint8Array(0) })
  for (let i = 0; i < depth; i++)
    inner = signature({ type: 0x19, algorithm: 1, issuer, material: new Uint8Array(0), unhashed: subpacket(32, inner) })
  return packet(2, signature({ type: 0x18, algorithm: 1, issuer, material, unhashed: subpacket(32, inner) }))
}

const RSA_BODY = publicKey(1, rsa(512))
const named = (...more: readonly Uint8Array[]): Buffer =>
  Buffer.concat([packet(6, RSA_BODY), userId('a <a@test.invalid>'), ...more])

export const HOSTILE: Readonly<Record<string, () => Buffer>> = {
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
  'as many signed user ids as fit': () =>
    claimed(
      19,
      bytesOf(8, Buffer.from('2a8648ce3d030107', 'hex'), integer(bytesOf(4, Buffer.alloc(64, 1)))),
      bytesOf(integer(Buffer.of(1)), integer(Buffer.of(1))),
      1300,
      1,
    ),
  '4,000 signatures': () => claimed(1, rsa(512), integer(Buffer.of(1)), 1, 2000),
  '10,000 useless packets': () => named(...Array.from({ length: 10_000 }, () => packet(12, Buffer.of(1)))),
  'as many subkeys as fit': () =>
    Buffer.concat([packet(6, RSA_BODY), ...Array.from({ length: 350 }, () => packet(14, RSA_BODY))]),
  'nested signatures': () => named(packet(14, RSA_BODY), nested(200, keyId(RSA_BODY), integer(large(512)))),
  'deeply nested signatures': () => named(packet(14, RSA_BODY), nested(1400, keyId(RSA_BODY), integer(large(512)))),
  'compressed packets': () => named(packet(8, Buffer.alloc(1000))),
  'a leading compressed packet': () => Buffer.concat([packet(8, Buffer.alloc(1000)), pair('P-256').publicKey]),
  'a packet with a partial length': () => named(bytesOf(0xc0 | 2, 0xe0, 4)),
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
  'an unknown algorithm': () => claimed(99, large(30), large(30)),
  'version 3': () => packet(6, bytesOf(3, Buffer.alloc(6), 1, rsa(256))),
  'more bytes than a key has': () => Buffer.concat([pair('P-256').publicKey, packet(60, Buffer.alloc(200_000))]),
  'no bytes': () => Buffer.alloc(0),
}
