import { describe } from 'vitest'
import { itMatchesWycheproof, type Turn, type WycheproofTest } from '../../vectors/wycheproof.ts'
import { HASH_NAMES } from './hash-names.ts'
import { fromHex, Imported, verdict } from './imported.ts'

type SignatureTest = WycheproofTest & Readonly<Record<'msg' | 'sig', string>>
type OaepTest = WycheproofTest & Readonly<Record<'msg' | 'ct' | 'label', string>>
interface PublicGroup {
  readonly sha: string
  readonly publicKeyPem: string
  readonly keySize: number
}
interface PrivateGroup {
  readonly sha: string
  readonly privateKeyPkcs8: string
  readonly keySize: number
}

/** @param turn Returns the reason why another tier runs the vector. */
export function testRsaAndEd25519(turn: Turn): void {
  describe('transit.verify by path, with Ed25519 keys', () => {
    const keys = new Imported()
    itMatchesWycheproof<PublicGroup, SignatureTest>('ed25519_test.json', {
      outside: turn,
      async accepts({ msg, sig }, { publicKeyPem }) {
        const name = await keys.public('ed25519', publicKeyPem)
        return verdict(await keys.post(`verify/${name}`, { input: fromHex(msg), signature: `strongroom:v1:${fromHex(sig)}` }))
      },
    })
  })

  describe('transit.verify by path, with RSA keys', () => {
    const keys = new Imported()
    const verify = async ({ msg, sig }: SignatureTest, { sha, publicKeyPem, keySize }: PublicGroup, more: object) => {
      const name = await keys.public(`rsa-${keySize}`, publicKeyPem)
      const body = { input: fromHex(msg), signature: `strongroom:v1:${fromHex(sig)}`, ...more }
      return verdict(await keys.post(`verify/${name}/${HASH_NAMES[sha]}`, body))
    }

    for (const file of ['2048_sha256', '3072_sha384', '4096_sha512']) {
      itMatchesWycheproof<PublicGroup, SignatureTest>(`rsa_signature_${file}_test.json`, {
        outside: turn,
        acceptable: { MissingNull: { accept: false, reason: 'a DigestInfo without NULL is not the one encoding that is built' } },
        accepts: (test, group) => verify(test, group, { signature_algorithm: 'pkcs1v15' }),
      })
    }

    for (const file of ['2048_sha256_mgf1_32', '2048_sha384_mgf1_48', '3072_sha256_mgf1_32', '4096_sha512_mgf1_64']) {
      itMatchesWycheproof<PublicGroup & { readonly mgfSha: string; readonly sLen: number }, SignatureTest>(
        `rsa_pss_${file}_test.json`,
        {
          outside: (test, group) => (group.mgfSha === group.sha ? turn(test) : `MGF1 over ${group.mgfSha}`),
          accepts: (test, group) => verify(test, group, { salt_length: group.sLen }),
        },
      )
    }

    // As in Vault, `salt_length: 0` accepts any salt length, so leave out vectors whose only fault is that length.
    itMatchesWycheproof<PublicGroup & { readonly sLen: number }, SignatureTest>('rsa_pss_2048_sha256_mgf1_0_test.json', {
      outside: (test) => (/s_len|salt/i.test(test.comment) ? 'another salt length than 0, which means any' : turn(test)),
      accepts: (test, group) => verify(test, group, { salt_length: 0 }),
    })
  })

  describe('transit.sign and decrypt by path, with RSA keys', () => {
    const keys = new Imported()
    itMatchesWycheproof<PrivateGroup, SignatureTest>('rsa_pkcs1_2048_sig_gen_test.json', {
      outside: turn,
      acceptable: {
        WeakHash: { accept: true, reason: 'SHA-1 can be asked for' },
        SmallPublicKey: { accept: true, reason: 'small odd exponents are imported' },
      },
      async accepts({ msg, sig }, { sha, privateKeyPkcs8, keySize }) {
        const name = await keys.secret(`rsa-${keySize}`, privateKeyPkcs8)
        const body = { input: fromHex(msg), signature_algorithm: 'pkcs1v15' }
        const { data } = await keys.post(`sign/${name}/${HASH_NAMES[sha]}`, body)
        return data['signature'] === `strongroom:v1:${fromHex(sig)}`
      },
    })

    for (const file of ['2048_sha256_mgf1sha256', '3072_sha256_mgf1sha256', '4096_sha256_mgf1sha256']) {
      itMatchesWycheproof<PrivateGroup, OaepTest>(`rsa_oaep_${file}_test.json`, {
        outside: (test) => (test.label === '' ? turn(test) : 'a label'),
        async accepts({ msg, ct }, { privateKeyPkcs8, keySize }) {
          const name = await keys.secret(`rsa-${keySize}`, privateKeyPkcs8)
          const { status, data } = await keys.post(`decrypt/${name}`, { ciphertext: `strongroom:v1:${fromHex(ct)}` })
          if (status !== 200 && status !== 400) throw new Error(`status ${status}`)
          return status === 200 && data['plaintext'] === fromHex(msg)
        },
      })
    }
  })
}
