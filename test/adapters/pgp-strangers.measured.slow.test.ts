/** How long hostile PGP keys block the process. */
import { beforeAll, describe, expect, it } from 'vitest'
import { inReferenceMs, lowest } from '../fixtures/calibration.ts'
import { decryptPgp } from '../fixtures/pgp.ts'
import { integer, large, packet, packetsOf, signature } from '../fixtures/pgp-packets.ts'
import { longestStretch } from '../large/stretch.ts'
import { encrypt, generate, HOSTILE, KINDS, makePairs, pair, pgp, refusal, TEXT } from './pgp-strangers-keys.ts'

/** The longest stretch without a pause, in milliseconds of processor time. */
const MAX_MS = 50

const longestMs = (work: () => Promise<unknown>): Promise<number> =>
  lowest(() => inReferenceMs(async () => (await longestStretch(work)).worst), MAX_MS)

beforeAll(() => makePairs(['RSA 2048', 'RSA 4096', 'P-256']))

describe('PGP keys', () => {
  it('of type RSA 4096 can encrypt a text, and have a fingerprint', async () => {
    const { publicKey: key, privateKey } = pair('RSA 4096')
    expect(await decryptPgp(await encrypt(key), privateKey.toString('base64'))).toBe(TEXT)
    expect(await pgp.fingerprint(key.toString('base64'))).toMatch(/^[0-9a-f]{40}$/)
  })

  it.each(Object.keys(HOSTILE))('are refused without blocking the process for more than 50 ms at a time: %s', async (what) => {
    const key = (HOSTILE[what] as () => Buffer)()
    // Load the OpenPGP library before the measurement.
    await encrypt(pair('RSA 2048').publicKey)
    expect(await longestMs(() => refusal(key))).toBeLessThan(MAX_MS)
  })

  it('block the process for at most 50 ms at a time during encryption, even with the largest accepted size', async () => {
    const material = integer(large(1024))
    for (const kind of ['P-521', 'Ed448 and X448', 'RSA 4096'] as const) {
      const userIDs = Array.from({ length: 8 }, (_, i) => ({ name: `Name ${i}`, email: `n${i}@test.invalid` }))
      // Six more RSA keys of 4,096 bits would take seconds to create.
      const subkey = kind === 'RSA 4096' ? { rsaBits: 2048 } : {}
      const { publicKey: key } = await generate({ ...KINDS[kind], userIDs, subkeys: Array.from({ length: 6 }, () => subkey) })
      const [primary, name, ...rest] = packetsOf(key).map(({ whole }) => whole) as [Buffer, Buffer, ...Buffer[]]
      const other = packet(2, signature({ type: 0x10, algorithm: 1, issuer: Buffer.alloc(8, 7), material }))
      const full = Buffer.concat([primary, name, ...Array.from({ length: 160 }, () => other), ...rest])
      expect(await longestMs(() => encrypt(full))).toBeLessThan(MAX_MS)
    }
  })
})
