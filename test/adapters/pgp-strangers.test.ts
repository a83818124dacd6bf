/** Parts of PGP keys from untrusted senders that are read, ignored or refused. `pgp-strangers.measured.slow.test.ts` bounds their cost. */
import { beforeAll, describe, expect, it } from 'vitest'
import { decryptPgp, openPgpLibrary } from '../fixtures/pgp.ts'
import { bytesOf, integer, large, packet, packetsOf, signature } from '../fixtures/pgp-packets.ts'
import { encrypt, generate, HOSTILE, KINDS, type Kind, makePairs, pair, pgp, refusal, TEXT } from './pgp-strangers-keys.ts'

/** Creating a key of 4,096 bits takes seconds. */
const QUICK = (Object.keys(KINDS) as Kind[]).filter((kind) => kind !== 'RSA 4096')

beforeAll(() => makePairs(QUICK))

describe('PGP keys', () => {
  it.each(QUICK)('of type %s can encrypt a text, and have the fingerprint that OpenPGP.js computes', async (kind) => {
    const { publicKey: key, privateKey } = pair(kind)
    const library = (await openPgpLibrary()) as unknown as {
      readKey(options: { binaryKey: Uint8Array }): Promise<{ getFingerprint(): string }>
    }
    expect(await decryptPgp(await encrypt(key), privateKey.toString('base64'))).toBe(TEXT)
    expect(await pgp.fingerprint(key.toString('base64'))).toBe((await library.readKey({ binaryKey: key })).getFingerprint())
  })

  it('are accepted with many third-party signatures, pictures and unknown packets, which are ignored', async () => {
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

  it('are accepted with many user IDs and subkeys', async () => {
    const userIDs = Array.from({ length: 12 }, (_, i) => ({ name: `Name ${i}`, email: `n${i}@test.invalid` }))
    const subkeys = [...Array.from({ length: 5 }, () => ({})), { sign: true }]
    const { publicKey: key, privateKey } = await generate({ type: 'ecc', userIDs, subkeys })
    expect(await decryptPgp(await encrypt(key), privateKey.toString('base64'))).toBe(TEXT)
  })

  it('are accepted if another key follows, which is ignored', async () => {
    const { publicKey: key, privateKey } = pair('P-256')
    const both = Buffer.concat([key, pair('RSA 2048').publicKey])
    expect(await decryptPgp(await encrypt(both), privateKey.toString('base64'))).toBe(TEXT)
  })

  it('are refused if they have been revoked', async () => {
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

  it('are refused if they have an invalid signature', async () => {
    for (const at of [2, 4]) {
      const parts = packetsOf(pair('Ed25519 and X25519').publicKey)
      expect(parts[at]?.tag).toBe(2)
      const body = Buffer.from(parts[at]?.body as Buffer)
      body[body.length - 1] = (body.at(-1) as number) ^ 1
      expect(await refusal(Buffer.concat(parts.map(({ whole }, i) => (i === at ? packet(2, body) : whole))))).toContain('PGP key')
    }
  })
})

describe('hostile PGP keys', () => {
  it.each(Object.keys(HOSTILE))('are refused: %s', async (what) => {
    expect(await refusal((HOSTILE[what] as () => Buffer)())).toContain('PGP key')
  })

  it('are refused if they are truncated at any byte', async () => {
    for (const kind of ['RSA 2048', 'Ed25519 and Curve25519', 'version 6'] as const) {
      const { publicKey: key } = pair(kind)
      for (let length = 0; length < key.length; length++) expect(await refusal(key.subarray(0, length))).toContain('PGP key')
    }
  })

  it('are accepted or refused with 400 if any byte is changed', async () => {
    const { publicKey: key } = pair('Ed25519 and Curve25519')
    for (let at = 0; at < key.length; at++) {
      const changed = Buffer.from(key)
      changed[at] = (changed[at] as number) ^ (1 << (at % 8))
      // `refusal` expects that a refusal is a 400.
      await refusal(changed)
    }
  })
})
