import { describe } from 'vitest'
import type { AeadName } from '../../../src/core/crypto/backend.ts'
import { ALL_BY_WEB_CRYPTO, BACKENDS } from '../../fixtures/backends.ts'
import { hex, unhex } from '../../vectors/load.ts'
import { itMatchesWycheproof, type WycheproofTest } from '../../vectors/wycheproof.ts'
import { driven } from './steps.ts'

interface AeadTest extends WycheproofTest {
  readonly key: string
  readonly iv: string
  readonly aad: string
  readonly msg: string
  readonly ct: string
  readonly tag: string
}

interface AeadGroup {
  readonly ivSize: number
  readonly keySize: number
  readonly tagSize: number
}

const FILES = [
  ['aes_gcm_test.json', 'aes-gcm', 96],
  ['chacha20_poly1305_test.json', 'chacha20-poly1305', 96],
  ['xchacha20_poly1305_test.json', 'xchacha20-poly1305', 192],
] as const satisfies readonly (readonly [string, AeadName, number])[]

describe.each([...BACKENDS, ALL_BY_WEB_CRYPTO])('AEAD ciphers of the backend $name', (crypto) => {
  for (const [file, algorithm, nonceBits] of FILES) {
    itMatchesWycheproof<AeadGroup, AeadTest>(file, {
      outside(_, group) {
        if (group.keySize === 192) return 'keys of 192 bits'
        if (group.ivSize !== nonceBits) return `nonces of other than ${nonceBits} bits`
        return group.tagSize === 128 ? undefined : 'truncated tags'
      },
      async accepts(test) {
        const key = crypto.aead(algorithm, unhex(test.key))
        const [nonce, aad, plaintext] = [unhex(test.iv), unhex(test.aad), unhex(test.msg)]
        const opened = key.open(nonce, unhex(test.ct + test.tag), aad)
        const inSteps = await driven(key.openSteps(nonce, unhex(test.ct + test.tag), aad))
        const sealed = new Uint8Array(plaintext.length + 16)
        key.seal(nonce, plaintext, aad, sealed, 0)
        const stepped = new Uint8Array(plaintext.length + 16)
        await driven(key.sealSteps(nonce, plaintext, aad, stepped, 0))
        if (opened === undefined && inSteps === undefined) return false
        return (
          [opened, inSteps].every((candidate) => candidate && hex(candidate) === test.msg) &&
          [sealed, stepped].every((candidate) => hex(candidate) === test.ct + test.tag)
        )
      },
    })
  }
})
