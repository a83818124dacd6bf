import { describe } from 'vitest'
import type { HashName } from '../../../src/core/crypto/backend.ts'
import { nobleCrypto } from '../../../src/core/crypto/noble/index.ts'
import { type RsaArithmetic, RsaPrivateKey, RsaPublicKey } from '../../../src/core/crypto/rsa/index.ts'
import { RSA_IMPLEMENTATIONS } from '../../fixtures/rsa-implementations.ts'
import { hex, unhex } from '../../vectors/load.ts'
import { itMatchesWycheproof, type WycheproofTest } from '../../vectors/wycheproof.ts'
import { WYCHEPROOF_HASHES } from './hashes.ts'

interface SignatureTest extends WycheproofTest {
  readonly msg: string
  readonly sig: string
}
interface OaepTest extends WycheproofTest {
  readonly msg: string
  readonly ct: string
  readonly label: string
}
interface PublicGroup {
  readonly sha: string
  readonly publicKeyDer: string
}
interface PrivateGroup {
  readonly sha: string
  readonly privateKeyPkcs8: string
}

const crypto = nobleCrypto()

function named(sha: string): HashName {
  const hash = WYCHEPROOF_HASHES[sha]
  if (hash === undefined) throw new Error(`unknown hash ${sha}`)
  return hash
}

/** The platform verifies the message and this library the digest; both must agree. */
function agreed(overDigest: boolean, overMessage: boolean | undefined, rsa: RsaArithmetic | undefined): boolean {
  // Only the platform signs and verifies whole messages.
  if (rsa) return overDigest
  if (overMessage !== overDigest) throw new Error(`the digest says ${overDigest}, the message ${overMessage}`)
  return overDigest
}

describe.each(RSA_IMPLEMENTATIONS)('with the RSA of $name', ({ rsa }) => {
  describe('RSA PKCS#1 v1.5 signatures', () => {
    for (const file of ['rsa_signature_2048_sha256', 'rsa_signature_3072_sha384', 'rsa_signature_4096_sha512']) {
      itMatchesWycheproof<PublicGroup, SignatureTest>(`${file}_test.json`, {
        acceptable: { MissingNull: { accept: false, reason: 'a DigestInfo without NULL is not the expected encoding' } },
        accepts(test, group) {
          const digest = crypto.hash(named(group.sha)).digest(unhex(test.msg))
          const [hash, signature] = [named(group.sha), unhex(test.sig)]
          const key = RsaPublicKey.fromSpki(unhex(group.publicKeyDer), rsa)
          return agreed(
            key.verifyPkcs1(hash, digest, signature),
            key.verifyMessage({ hash, salt: undefined }, unhex(test.msg), signature),
            rsa,
          )
        },
      })
    }

    itMatchesWycheproof<PrivateGroup & { readonly keyPem: string }, SignatureTest>('rsa_pkcs1_2048_sig_gen_test.json', {
      acceptable: {
        WeakHash: { accept: true, reason: 'the caller decides which hashes are allowed' },
        SmallPublicKey: { accept: true, reason: 'the caller decides whether small exponents are allowed' },
      },
      accepts(test, group) {
        const hash = named(group.sha)
        const digest = crypto.hash(hash).digest(unhex(test.msg))
        const key = RsaPrivateKey.fromPkcs8(unhex(group.privateKeyPkcs8), rsa)
        const verifies = RsaPublicKey.fromSpki(group.keyPem, rsa).verifyPkcs1(hash, digest, unhex(test.sig))
        const ofMessage = key.signMessage({ hash, salt: undefined }, unhex(test.msg))
        const made = hex(key.signPkcs1(hash, digest))
        return key.isConsistent() && agreed(made === test.sig, ofMessage && hex(ofMessage) === test.sig, rsa) && verifies
      },
    })
  })

  describe('RSA-PSS signatures', () => {
    for (const file of [
      '2048_sha256_mgf1_0',
      '2048_sha256_mgf1_32',
      '2048_sha384_mgf1_48',
      '3072_sha256_mgf1_32',
      '4096_sha512_mgf1_64',
    ]) {
      itMatchesWycheproof<PublicGroup & { readonly mgfSha: string; readonly sLen: number }, SignatureTest>(
        `rsa_pss_${file}_test.json`,
        {
          outside: (_, group) => (group.mgfSha === group.sha ? undefined : `MGF1 over ${group.mgfSha}`),
          accepts(test, group) {
            const digest = crypto.hash(named(group.sha)).digest(unhex(test.msg))
            const key = RsaPublicKey.fromSpki(unhex(group.publicKeyDer), rsa)
            const [hash, signature] = [named(group.sha), unhex(test.sig)]
            const isAccepted = (salt: number | 'any') =>
              agreed(
                key.verifyPss(hash, digest, signature, salt),
                key.verifyMessage({ hash, salt }, unhex(test.msg), signature),
                rsa,
              )
            const accepted = isAccepted(group.sLen)
            // Accepting any salt length must not reject a signature that a fixed length accepts.
            if (!isAccepted('any') && accepted) throw new Error('lost with any salt length')
            return accepted
          },
        },
      )
    }
  })

  describe('RSA-OAEP decryption', () => {
    const files = ['2048_sha1_mgf1sha1', '2048_sha256_mgf1sha1', '2048_sha256_mgf1sha256', '2048_sha512_mgf1sha512']
    for (const file of [...files, '3072_sha256_mgf1sha256', '4096_sha256_mgf1sha256']) {
      itMatchesWycheproof<PrivateGroup & { readonly mgfSha: string }, OaepTest>(`rsa_oaep_${file}_test.json`, {
        outside(test, group) {
          if (group.mgfSha !== group.sha) return `MGF1 over ${group.mgfSha}`
          return test.label === '' ? undefined : 'a label'
        },
        accepts(test, group) {
          const plaintext = RsaPrivateKey.fromPkcs8(unhex(group.privateKeyPkcs8), rsa).decryptOaep(
            unhex(test.ct),
            named(group.sha),
          )
          return plaintext !== undefined && hex(plaintext) === test.msg
        },
      })
    }
  })
})
