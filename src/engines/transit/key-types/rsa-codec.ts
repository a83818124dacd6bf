import { encodeBase64 } from '../../../core/base/base64.ts'
import { invalid } from '../../../core/base/errors.ts'
import { mapOutcome } from '../../../core/base/steps.ts'
import { readPkcs8, readSpki } from '../../../core/crypto/asn1/envelopes.ts'
import { decodePem, encodePem } from '../../../core/crypto/pem.ts'
import {
  checkedRsaNumbers,
  checkRsaPublic,
  type RsaBits,
  type RsaNumbers,
  RsaPrivateKey,
  type RsaPublicKey,
  type RsaPublicNumbers,
  readRsaPkcs8,
  readRsaSpki,
  rsaNumbersOf,
  rsaPkcs8,
  rsaPublicNumbersOf,
  rsaRestriction,
  rsaSpki,
} from '../../../core/crypto/rsa/index.ts'
import type { VersionKey } from '../material.ts'
import {
  type ArchivedRsaKey,
  BACKUP_PARAMETER,
  derText,
  type IncomingKey,
  type KeyCodec,
  missingKey,
  PUBLIC_KEY_PARAMETER,
  unsupportedFormat,
  WRAPPED_PARAMETER,
} from './key-codec.ts'

export function rsaCodec(bits: RsaBits, recipient: (key: VersionKey) => RsaPublicKey): KeyCodec {
  const pem = (from: RsaPublicNumbers): string => encodePem('PUBLIC KEY', rsaSpki(from))
  const privateKey = (from: RsaNumbers): IncomingKey => ({ key: rsaPkcs8(from), publicKey: pem(from), publicOnly: false })
  const publicOnly = (from: RsaPublicNumbers): IncomingKey => ({ key: rsaSpki(from), publicKey: pem(from), publicOnly: true })

  return {
    counterMode: true,
    fromWrapped: (_crypto, bytes) => ({
      ...privateKey(readRsaPkcs8(bytes, bits, WRAPPED_PARAMETER)),
      restriction: rsaRestriction(readPkcs8(bytes, WRAPPED_PARAMETER)),
    }),
    test: ({ rsa }, key) => {
      const own = RsaPrivateKey.fromPkcs8(key, rsa)
      return mapOutcome(own.isConsistentSteps(), (works) => {
        own.wipe()
        if (!works) throw invalid(`${WRAPPED_PARAMETER}: the numbers of the RSA key do not belong together`)
      })
    },
    toWrapped: (_crypto, key) => key.slice(),
    toText: ({ rsa }, key, format) => {
      if (format === 'raw') throw unsupportedFormat(format)
      if (format !== '') return derText(key, format, (bytes) => encodePem('PRIVATE KEY', bytes))
      const own = RsaPrivateKey.fromPkcs8(key, rsa)
      try {
        return own.pkcs1Pem()
      } finally {
        own.wipe()
      }
    },
    fromArchive: (_crypto, { rsa_key, rsa_public_key }) => {
      if (rsa_key) return privateKey(checkedRsaNumbers(numbersOf(rsa_key), bits, BACKUP_PARAMETER))
      if (!rsa_public_key) throw missingKey()
      const { N: n, E: e } = rsa_public_key
      checkRsaPublic({ n, e }, bits, BACKUP_PARAMETER)
      return publicOnly({ n, e })
    },
    toArchive: (_crypto, key, isPublic) => {
      if (isPublic) {
        const { n, e } = rsaPublicNumbersOf(key)
        return { rsa_public_key: { N: n, E: e }, public_key: '' }
      }
      const { n, e, d, p, q, dp, dq, qInv } = rsaNumbersOf(key)
      const rsa_key = { N: n, E: e, D: d, Primes: [p, q], Precomputed: { Dp: dp, Dq: dq, Qinv: qInv } }
      return { rsa_key, public_key: '' }
    },
    publicKey: {
      fromSpki: (_crypto, der) => ({
        ...publicOnly(readRsaSpki(der, bits, PUBLIC_KEY_PARAMETER)),
        restriction: rsaRestriction(readSpki(der, PUBLIC_KEY_PARAMETER)),
      }),
      toText: (publicKey, format) => {
        if (format === 'raw') throw unsupportedFormat(format)
        return format === 'der' ? encodeBase64(decodePem('PUBLIC KEY', publicKey)) : publicKey
      },
      recipient,
    },
  }
}

function numbersOf({ N, E, D, Primes, Precomputed }: ArchivedRsaKey) {
  const [p, q] = Primes
  if (p === undefined || q === undefined || Primes.length !== 2)
    throw invalid(`${BACKUP_PARAMETER}: an RSA key must have two primes`)
  // The backup prints 0 for a number that it does not contain.
  const { Dp, Dq, Qinv } = Precomputed ?? {}
  return { n: N, e: E, d: D, p, q, dp: Dp || undefined, dq: Dq || undefined, qInv: Qinv || undefined }
}
