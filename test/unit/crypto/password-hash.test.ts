import { describe, expect, it } from 'vitest'
import { toUtf8 } from '../../../src/core/base/bytes.ts'
import { argon2id, scrypt } from '../../../src/core/crypto/password-hash.ts'

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

describe('password hashing', () => {
  it('scrypt returns the first 32 bytes of the example in RFC 7914, section 12', async () => {
    const bytes = await scrypt(toUtf8('password'), toUtf8('NaCl'), { N: 1024, r: 8, p: 16 })
    expect(hex(bytes)).toBe('fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162')
  })

  it('argon2id returns another hash if the salt or a cost parameter differs', async () => {
    const cost = { t: 2, m: 64, p: 1 }
    const [password, salt] = [toUtf8('password'), toUtf8('somesalt')]
    const hash = await argon2id(password, salt, cost)
    expect(hash.length).toBe(32)
    expect(await argon2id(password, salt, cost)).toEqual(hash)
    for (const other of [
      { ...cost, t: 3 },
      { ...cost, m: 128 },
      { ...cost, p: 2 },
    ])
      expect(await argon2id(password, salt, other)).not.toEqual(hash)
    expect(await argon2id(password, toUtf8('othersalt'), cost)).not.toEqual(hash)
  })

  it('scrypt yields to the event loop while it computes', async () => {
    let turns = 0
    let working = true
    const count = (): void => {
      turns++
      if (working) setImmediate(count)
    }
    setImmediate(count)
    await scrypt(toUtf8('password'), toUtf8('salt'), { N: 2 ** 15, r: 8, p: 1 })
    working = false
    expect(turns).toBeGreaterThan(2)
  })
})
