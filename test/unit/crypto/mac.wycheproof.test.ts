import { describe } from 'vitest'
import { runToEnd } from '../../../src/core/base/steps.ts'
import type { HashName } from '../../../src/core/crypto/backend.ts'
import { BACKENDS } from '../../fixtures/backends.ts'
import { hex, unhex } from '../../vectors/load.ts'
import { itMatchesWycheproof, type WycheproofTest } from '../../vectors/wycheproof.ts'

interface MacTest extends WycheproofTest {
  readonly key: string
  readonly msg: string
  readonly tag: string
}

interface HkdfTest extends WycheproofTest {
  readonly ikm: string
  readonly salt: string
  readonly info: string
  readonly size: number
  readonly okm: string
}

const FILES = [
  ['hmac_sha1_test.json', 'sha1'],
  ['hmac_sha224_test.json', 'sha2-224'],
  ['hmac_sha256_test.json', 'sha2-256'],
  ['hmac_sha384_test.json', 'sha2-384'],
  ['hmac_sha512_test.json', 'sha2-512'],
  ['hmac_sha3_256_test.json', 'sha3-256'],
  ['hmac_sha3_512_test.json', 'sha3-512'],
] as const satisfies readonly (readonly [string, HashName])[]

describe.each(BACKENDS)('HMAC and HKDF of the backend $name', (crypto) => {
  for (const [file, hash] of FILES) {
    itMatchesWycheproof<{ readonly tagSize: number }, MacTest>(file, {
      outside: (_, group) => (group.tagSize === 8 * crypto.hash(hash).length ? undefined : 'truncated tags'),
      accepts(test) {
        const key = crypto.hmac(hash, unhex(test.key))
        const message = unhex(test.msg)
        return hex(key.mac(message)) === test.tag && hex(runToEnd(key.macSteps(message))) === test.tag
      },
    })
  }

  itMatchesWycheproof<object, HkdfTest>('hkdf_sha256_test.json', {
    accepts(test) {
      try {
        return hex(crypto.hkdf('sha2-256', unhex(test.ikm), unhex(test.salt), unhex(test.info), test.size)) === test.okm
      } catch (error) {
        if (error instanceof RangeError) return false
        throw error
      }
    },
  })
})
