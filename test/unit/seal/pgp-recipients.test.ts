import { describe, expect, it } from 'vitest'
import { PgpRecipients } from '../../../src/core/seal/pgp-recipients.ts'
import { KernelError, type Pgp } from '../../../src/index.ts'
import { fakeClock, fakePgp } from '../../../src/testing/index.ts'
import { bytesOf, utf8 } from '../../property/support.ts'

const [ANNA, BERT, BROKEN] = ['anna', 'bert', 'broken'].map((name) => Buffer.from(name).toString('base64')) as [
  string,
  string,
  string,
]
const clock = fakeClock(1_700_000_000_000)

describe('PgpRecipients', () => {
  it('returns a fingerprint for each given key, in order, even if a key is repeated', async () => {
    const pgp = fakePgp()
    const recipients = new PgpRecipients({ pgp }, clock)
    const fingerprints = await recipients.fingerprints([ANNA, BERT, ANNA], 'pgp_keys', false)
    expect(fingerprints).toEqual([await pgp.fingerprint(ANNA), await pgp.fingerprint(BERT), fingerprints[0]])
  })

  it('encrypts the hexadecimal text of each share for its recipient', async () => {
    const pgp = fakePgp()
    const share = bytesOf(33, 5)
    const { keys, keys_base64 } = await new PgpRecipients({ pgp }, clock).encodeShares([share, share], [ANNA, BERT])
    const hex = Buffer.from(share).toString('hex')
    expect(keys.map((message) => Buffer.from(message, 'hex').toString('base64'))).toEqual(keys_base64)
    expect(pgp.decrypt(new Uint8Array(Buffer.from(keys[0] as string, 'hex')), ANNA)).toEqual(utf8(hex))
    expect(pgp.decrypt(new Uint8Array(Buffer.from(keys[1] as string, 'hex')), BERT)).toEqual(utf8(hex))
  })

  it('returns the shares in clear text if no key is given', async () => {
    const share = bytesOf(33, 5)
    expect(await new PgpRecipients({}, clock).encodeShares([share], [])).toEqual({
      keys: [Buffer.from(share).toString('hex')],
      keys_base64: [Buffer.from(share).toString('base64')],
    })
  })

  it('refuses keys that the PGP port cannot use, and any key if no PGP port is given', async () => {
    const broken = new PgpRecipients({ pgp: fakePgp({ broken: [BROKEN] }) }, clock)
    await expect(broken.fingerprints([ANNA, BROKEN], 'pgp_keys', false)).rejects.toMatchObject({ status: 400 })
    await expect(broken.fingerprints(['A'.repeat(300_000)], 'pgp_keys', false)).rejects.toMatchObject({ status: 400 })
    await expect(new PgpRecipients({}, clock).fingerprints([ANNA], 'pgp_key', false)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('ports.pgp'),
    })
  })

  it('tests a key at the time of the kernel clock, and hides the message of a failing PGP port', async () => {
    const times: (number | undefined)[] = []
    const port: Pgp = {
      encrypt: async (_bytes, _key, at) => {
        times.push(at)
        return new Uint8Array(1)
      },
      fingerprint() {
        throw new Error('the words of the library')
      },
    }
    const failing = new PgpRecipients({ pgp: port }, clock).fingerprints([ANNA], 'pgp_keys', false)
    await expect(failing).rejects.toSatisfy(
      (error) => error instanceof KernelError && error.status === 502 && !error.message.includes('words'),
    )
    await new PgpRecipients({ pgp: { ...port, fingerprint: async () => 'f' } }, clock).fingerprints([ANNA], 'pgp_keys', false)
    expect(times).toEqual([clock.now()])
  })
})
