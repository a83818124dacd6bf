import { describe } from 'vitest'
import { nodeCrypto } from '../../../src/adapters/crypto-node/index.ts'
import { finish } from '../../../src/core/base/steps.ts'
import type { AeadName } from '../../../src/core/crypto/backend.ts'
import { nobleCrypto } from '../../../src/core/crypto/noble/index.ts'
import { hex, unhex } from '../../vectors/load.ts'
import { itJudges, type WycheproofTest } from '../../vectors/wycheproof.ts'

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

describe.each([nobleCrypto(), nodeCrypto()])('aead, backend $name', (crypto) => {
  for (const [file, algorithm, nonceBits] of FILES) {
    itJudges<AeadGroup, AeadTest>(file, {
      outside(_, group) {
        if (group.keySize === 192) return 'keys of 192 bits'
        if (group.ivSize !== nonceBits) return `nonces of other than ${nonceBits} bits`
        return group.tagSize === 128 ? undefined : 'truncated tags'
      },
      accepts(test) {
        const key = crypto.aead(algorithm, unhex(test.key))
        const [nonce, aad, plaintext] = [unhex(test.iv), unhex(test.aad), unhex(test.msg)]
        const opened = key.open(nonce, unhex(test.ct + test.tag), aad)
        const inSteps = finish(key.openSteps(nonce, unhex(test.ct + test.tag), aad))
        const sealed = new Uint8Array(plaintext.length + 16)
        key.seal(nonce, plaintext, aad, sealed, 0)
        if (opened === undefined && inSteps === undefined) return false
        return [opened, inSteps].every((one) => one && hex(one) === test.msg) && hex(sealed) === test.ct + test.tag
      },
    })
  }
})
