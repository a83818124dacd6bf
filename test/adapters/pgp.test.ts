import { describe, expect, it } from 'vitest'
import { openpgp } from '../../src/adapters/pgp-openpgp/index.ts'
import { decryptPgp, gpgPresent, gpgWith, openPgpLibrary, PGP_GOLDEN, pgpGolden } from '../fixtures/pgp.ts'
import { describeWithShared } from '../fixtures/shared-data.ts'
import { utf8 } from '../property/support.ts'

const pgp = openpgp()
const TEXT = '4bd97a62ad9c9dae1d9dcd1ee7a5b2c6ed1e39e4b2a45a9bbd1a1cc2e5a6d1f707'
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

const generate = async (options: object): Promise<{ publicKey: string; privateKey: string }> => {
  const library = await openPgpLibrary()
  const { publicKey, privateKey } = await library.generateKey({
    userIDs: [{ name: 'T', email: 't@test.invalid' }],
    format: 'binary',
    ...options,
  })
  return { publicKey: base64(publicKey), privateKey: base64(privateKey) }
}

describe('a PGP message', () => {
  it('can be decrypted with the private key of its recipient', async () => {
    const { publicKey, privateKey } = await generate({ type: 'ecc' })
    const message = await pgp.encrypt(utf8(TEXT), publicKey)
    expect(message.constructor).toBe(Uint8Array)
    expect(await decryptPgp(message, privateKey)).toBe(TEXT)
  })

  it('uses the older integrity protection even for keys that support the newer one', async () => {
    const { publicKey, privateKey } = await generate({ type: 'ecc', config: { aeadProtect: true } })
    const message = await pgp.encrypt(utf8(TEXT), publicKey)
    const { packets } = await (await openPgpLibrary()).readMessage({ binaryMessage: message })
    expect(packets.map(({ version }) => version)).toEqual([3, 1])
    expect(await decryptPgp(message, privateKey)).toBe(TEXT)
  })

  it('is refused for a key that has expired or that was created after the given time', async () => {
    const made = new Date('2026-01-01T00:00:00Z')
    const { publicKey } = await generate({ type: 'ecc', date: made, keyExpirationTime: 86_400 })
    const refused = expect.objectContaining({ status: 400, message: expect.stringContaining('PGP key') })
    await expect(pgp.encrypt(utf8(TEXT), publicKey, made.getTime() + 86_399_000)).resolves.toBeInstanceOf(Uint8Array)
    await expect(pgp.encrypt(utf8(TEXT), publicKey, made.getTime() + 86_400_000)).rejects.toEqual(refused)
    await expect(pgp.encrypt(utf8(TEXT), publicKey, made.getTime() - 1000)).rejects.toEqual(refused)
  })

  it('cannot be encrypted to a private key', async () => {
    const { privateKey } = await generate({ type: 'ecc' })
    await expect(pgp.encrypt(utf8(TEXT), privateKey)).rejects.toMatchObject({ status: 400 })
    await expect(pgp.fingerprint(privateKey)).rejects.toMatchObject({ status: 400 })
  })
})

describeWithShared(PGP_GOLDEN, 'recorded PGP keys', () => {
  const golden = pgpGolden as NonNullable<typeof pgpGolden>

  it('have the fingerprints that were recorded', async () => {
    for (const { public: key, fingerprint } of Object.values(golden.keys)) expect(await pgp.fingerprint(key)).toBe(fingerprint)
  })

  it('decrypt the recorded messages and newly encrypted ones', async () => {
    expect(golden.messages).toHaveLength(3)
    for (const { to, keys, keys_base64, clear, root_token } of golden.messages) {
      for (const [i, name] of to.entries()) {
        const { secret, public: key } = golden.keys[name as 'one']
        expect(await decryptPgp(new Uint8Array(Buffer.from(keys[i] as string, 'hex')), secret)).toBe(clear[i])
        expect(Buffer.from(keys_base64[i] as string, 'base64').toString('hex')).toBe(keys[i])
        expect(await decryptPgp(await pgp.encrypt(utf8(clear[i] as string), key), secret)).toBe(clear[i])
      }
      if (!root_token) continue
      const { secret } = golden.keys[root_token.to as 'one']
      expect(await decryptPgp(new Uint8Array(Buffer.from(root_token.message, 'base64')), secret)).toBe(root_token.clear)
    }
  })

  it('are refused if they are unreadable or cannot be used for encryption', async () => {
    expect(golden.refused.length).toBeGreaterThan(5)
    for (const { what, key } of golden.refused)
      await expect(pgp.encrypt(utf8(TEXT), key), what).rejects.toMatchObject({
        status: 400,
        message: expect.stringContaining('PGP key'),
      })
  })

  it.skipIf(!gpgPresent)(
    gpgPresent
      ? 'decrypt new messages with gpg, which reports the same form as for the recorded ones'
      : 'decrypt new messages with gpg (skipped: no gpg on this machine)',
    async () => {
      for (const [index, name] of (['one', 'two', 'four'] as const).entries()) {
        const { public: key, secret } = golden.keys[name]
        const gpg = gpgWith(secret)
        try {
          const ownMessage = await pgp.encrypt(utf8(TEXT), key)
          expect(gpg.run(['--decrypt'], ownMessage)).toBe(TEXT)
          const goldenMessage = new Uint8Array(Buffer.from(golden.messages[0]?.keys[index] as string, 'hex'))
          expect(form(gpg.run(['--list-packets'], ownMessage))).toBe(form(gpg.run(['--list-packets'], goldenMessage)))
        } finally {
          gpg.close()
        }
      }
    },
  )
})

/** The bit length of an encrypted session key varies with its leading zeros, and so do all offsets and lengths that gpg prints. */
const form = (packets: string): string =>
  packets
    .replaceAll(/\[\d+ bits\]/g, '[bits]')
    .replaceAll(/^# off=\d+ ctb=(\w+) tag=(\d+) hlen=\d+ plen=\d+/gm, '# ctb=$1 tag=$2')
