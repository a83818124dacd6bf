import { describe } from 'vitest'
import { itMatchesWycheproof, type Turn, type WycheproofTest } from '../../vectors/wycheproof.ts'
import { fromHex, Imported, verdict } from './imported.ts'

type Texts<Name extends string> = Readonly<Record<Name, string>>
type AeadTest = WycheproofTest & Texts<'key' | 'iv' | 'aad' | 'msg' | 'ct' | 'tag'>
type MacTest = WycheproofTest & Texts<'key' | 'msg' | 'tag'>
type Sizes<Name extends string> = Readonly<Record<Name, number>>

const AEADS = [
  ['aes_gcm_test.json', { 128: 'aes128-gcm96', 256: 'aes256-gcm96' }, 96],
  ['chacha20_poly1305_test.json', { 256: 'chacha20-poly1305' }, 96],
  ['xchacha20_poly1305_test.json', { 256: 'xchacha20-poly1305' }, 192],
] as const satisfies readonly (readonly [string, Readonly<Record<number, string>>, number])[]

const MACS = [
  ['hmac_sha1_test.json', 'sha1', 160],
  ['hmac_sha224_test.json', 'sha2-224', 224],
  ['hmac_sha256_test.json', 'sha2-256', 256],
  ['hmac_sha384_test.json', 'sha2-384', 384],
  ['hmac_sha512_test.json', 'sha2-512', 512],
  ['hmac_sha3_256_test.json', 'sha3-256', 256],
  ['hmac_sha3_512_test.json', 'sha3-512', 512],
] as const

/** @param turn Returns the reason why another tier runs the vector. */
export function testSecretKeys(turn: Turn): void {
  describe('transit.decrypt by path', () => {
    const keys = new Imported()
    for (const [file, types, nonceBits] of AEADS) {
      itMatchesWycheproof<Sizes<'ivSize' | 'keySize' | 'tagSize'>, AeadTest>(file, {
        outside(test, { keySize, ivSize, tagSize }) {
          if (!(keySize in types)) return `keys of ${keySize} bits`
          if (ivSize !== nonceBits) return `nonces of other than ${nonceBits} bits`
          return tagSize === 128 ? turn(test) : 'truncated tags'
        },
        async accepts({ key, iv, ct, tag, aad, msg }, { keySize }) {
          const name = await keys.secret((types as Readonly<Record<number, string>>)[keySize] as string, key)
          const body = { ciphertext: `strongroom:v1:${fromHex(iv + ct + tag)}`, associated_data: fromHex(aad) }
          const { status, data } = await keys.post(`decrypt/${name}`, body)
          if (status !== 200 && status !== 400) throw new Error(`status ${status}`)
          return status === 200 && data['plaintext'] === fromHex(msg)
        },
      })
    }
  })

  describe('transit.hmac and verify by path', () => {
    const keys = new Imported()
    for (const [file, algorithm, tagBits] of MACS) {
      itMatchesWycheproof<Sizes<'keySize' | 'tagSize'>, MacTest>(file, {
        outside: (test, { keySize, tagSize }) => {
          if (keySize < 256 || keySize > 4096) return 'keys of less than 32 bytes'
          return tagSize === tagBits ? turn(test) : 'truncated tags'
        },
        async accepts({ key, msg, tag }) {
          const name = await keys.secret('hmac', key)
          const [input, hmac] = [fromHex(msg), `strongroom:v1:${fromHex(tag)}`]
          const made = await keys.post(`hmac/${name}/${algorithm}`, { input })
          const valid = verdict(await keys.post(`verify/${name}/${algorithm}`, { input, hmac }))
          if (valid !== (made.data['hmac'] === hmac)) throw new Error('hmac and verify disagree')
          return valid
        },
      })
    }
  })
}
