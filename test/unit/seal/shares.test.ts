import { createDecipheriv } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { checkCounts, combineKey, readShare, splitKey } from '../../../src/core/crypto/shamir/shares.ts'
import { systemEntropy } from '../../../src/index.ts'
import { describeWithShared, readSharedJson } from '../../fixtures/shared-data.ts'

const GOLDEN = 'transcripts/openbao/golden/shares.json'
const bytes = (n: number): Uint8Array => Uint8Array.from({ length: n }, (_, i) => i)
const hexOf = (n: number): string => Buffer.from(bytes(n)).toString('hex')
const base64Of = (n: number): string => Buffer.from(bytes(n)).toString('base64')
const refused = (text: string) => expect.objectContaining({ status: 400, message: expect.stringContaining(text) })

describe('the counts of key shares', () => {
  it('permit a threshold of 1 for a single share, and otherwise from 2 to the number of shares, at most 255', () => {
    for (let secret_shares = -1; secret_shares <= 260; secret_shares++)
      for (let secret_threshold = -1; secret_threshold <= 260; secret_threshold++) {
        const fits =
          secret_shares === 1
            ? secret_threshold === 1
            : secret_shares <= 255 && secret_threshold >= 2 && secret_threshold <= secret_shares
        let isAccepted = true
        try {
          checkCounts({ secret_shares, secret_threshold })
        } catch (error) {
          isAccepted = false
          expect(error).toMatchObject({ status: 400 })
        }
        if (isAccepted !== fits)
          expect([secret_shares, secret_threshold, isAccepted]).toEqual([secret_shares, secret_threshold, fits])
      }
  })
})

describe('a key split into shares', () => {
  it('is copied, and neither changed nor shared, if there is only one share', () => {
    const key = bytes(32)
    const counts = { secret_shares: 1, secret_threshold: 1 }
    const [share] = splitKey(key, counts, systemEntropy())
    key.fill(9)
    expect(share).toEqual(bytes(32))
    const combined = combineKey([share!], 1)
    share!.fill(9)
    expect(combined).toEqual(bytes(32))
  })

  it('is not recovered if the shares are too few, repeated, or of different lengths', () => {
    expect(() => combineKey([bytes(33)], 0)).toThrow(refused('less than two parts'))
    expect(() => combineKey([bytes(33), bytes(33)], 2)).toThrow(refused('duplicate part'))
    expect(() => combineKey([bytes(33), bytes(32)], 2)).toThrow(refused('same length'))
  })
})

describe('a key share as text', () => {
  it('may be hexadecimal in either case or base64', () => {
    for (const n of [16, 32, 33]) {
      expect(readShare(hexOf(n))).toEqual(bytes(n))
      expect(readShare(hexOf(n).toUpperCase())).toEqual(bytes(n))
      expect(readShare(base64Of(n))).toEqual(bytes(n))
    }
  })

  it('is read as base64 if it has 24 hexadecimal digits, because no share has 12 bytes', () => {
    // The 44 letters are 22 bytes if read as hexadecimal. The 24 letters would be 12 bytes, which no share has, so they are read as base64:
    // 18 bytes.
    expect(readShare('a'.repeat(44))).toHaveLength(22)
    expect(readShare('a'.repeat(24))).toHaveLength(18)
  })

  it.each([
    ['', 'shorter than minimum 16'],
    ['abcd', 'shorter than minimum 16'],
    // 30 hexadecimal digits are not valid base64; 68 digits are 51 bytes of base64.
    [hexOf(15), 'hex or base64'],
    [hexOf(34), 'longer than maximum 33'],
    [base64Of(15), 'shorter than minimum 16'],
    [base64Of(34), 'longer than maximum 33'],
    ['not a key!', 'hex or base64'],
    [` ${hexOf(32)}`, 'hex or base64'],
    [base64Of(32).replace('=', ''), 'hex or base64'],
  ])('must not be %j', (text, message) => {
    expect(() => readShare(text)).toThrow(refused(message))
  })
})

describeWithShared(GOLDEN, 'key shares recorded from OpenBao', () => {
  it('recover the recorded keys, which decrypt recorded ciphertexts', () => {
    const { live } = readSharedJson<{ readonly live: readonly Live[] }>(GOLDEN)
    expect(live).toHaveLength(4)
    for (const { k, shares, secret, opens } of live) {
      const key = combineKey(shares.slice(-k).map(readShare), k)
      expect(Buffer.from(key).toString('hex')).toBe(secret)
      if (!opens) continue
      const record = Buffer.from(opens.record, 'hex')
      const decipher = createDecipheriv('aes-256-gcm', key, record.subarray(0, 12))
      decipher.setAuthTag(record.subarray(-16))
      expect(Buffer.concat([decipher.update(record.subarray(12, -16)), decipher.final()]).toString()).toBe(opens.plaintext)
    }
  })
})

interface Live {
  readonly k: number
  readonly shares: readonly string[]
  readonly secret: string
  readonly opens?: { readonly record: string; readonly plaintext: string }
}
