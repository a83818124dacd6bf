import { encodeBase64 } from '../../../core/base/base64.ts'
import { invalid } from '../../../core/base/errors.ts'
import { ecPkcs8, ecSec1, readEcPkcs8, readEcSpki } from '../../../core/crypto/asn1/ec-keys.ts'
import type { CryptoBackend, CurveName } from '../../../core/crypto/backend.ts'
import { equalBytes } from '../../../core/crypto/equal.ts'
import { decodePem, encodePem } from '../../../core/crypto/pem.ts'
import { bigintBytes, bytesBigint } from '../../../core/crypto/rsa/index.ts'
import { ecSpkiPem } from '../../../core/crypto/spki.ts'
import {
  type ArchivedKey,
  BACKUP_PARAMETER,
  derText,
  type IncomingKey,
  type KeyCodec,
  missingKey,
  PUBLIC_KEY_PARAMETER,
  unsupportedFormat,
  WRAPPED_PARAMETER,
} from './key-codec.ts'

export function ecdsaCodec(curve: CurveName, fieldBytes: number): KeyCodec {
  /**
   * @param scalar The function takes ownership: it stores the bytes in the result or wipes them.
   * @param given The public point from the file, which must match the scalar; empty if the file has none.
   */
  function privateKey(crypto: CryptoBackend, scalar: Uint8Array, given: Uint8Array, what: string): IncomingKey {
    const point = pointOf(crypto, scalar)
    if (given.length > 0 && !equalBytes(given, point) && !equalBytes(given, compressed(point))) {
      scalar.fill(0)
      throw invalid(`${what}: the public half of the elliptic-curve key does not match the private half`)
    }
    return { key: scalar, publicKey: ecSpkiPem(curve, point), publicOnly: false }
  }

  function pointOf(crypto: CryptoBackend, scalar: Uint8Array): Uint8Array {
    const signing = crypto.ecdsaSign(curve, scalar)
    signing.wipe()
    return signing.publicKey
  }

  /** @throws KernelError 400 for bytes that are not a point of the curve */
  function publicOnly(crypto: CryptoBackend, point: Uint8Array): IncomingKey {
    crypto.ecdsaVerify(curve, point)
    return { key: point.slice(), publicKey: ecSpkiPem(curve, point), publicOnly: true }
  }

  function archivedPoint({ ec_x: x, ec_y: y }: ArchivedKey): Uint8Array | undefined {
    if (x === undefined || y === undefined) return undefined
    const point = new Uint8Array(1 + 2 * fieldBytes)
    point[0] = 4
    point.set(coordinate(x), 1)
    point.set(coordinate(y), 1 + fieldBytes)
    return point
  }

  function coordinate(value: bigint): Uint8Array {
    if (value >> BigInt(8 * fieldBytes) !== 0n)
      throw invalid(`${BACKUP_PARAMETER}: a coordinate or scalar of the elliptic-curve key is too large`)
    return bigintBytes(value, fieldBytes)
  }

  return {
    counterMode: true,
    fromWrapped: (crypto, bytes) => {
      const { scalar, point } = readEcPkcs8(curve, bytes, WRAPPED_PARAMETER)
      return privateKey(crypto, scalar, point, WRAPPED_PARAMETER)
    },
    toWrapped: (crypto, key) => ecPkcs8(curve, key, pointOf(crypto, key)),
    toText: (crypto, key, format) => {
      if (format === 'raw') throw unsupportedFormat(format)
      const point = pointOf(crypto, key)
      const der = format === '' ? ecSec1(curve, key, point) : ecPkcs8(curve, key, point)
      const label = format === '' ? 'EC PRIVATE KEY' : 'PRIVATE KEY'
      const text = derText(der, format, (bytes) => encodePem(label, bytes).trimEnd())
      der.fill(0)
      return text
    },
    fromArchive: (crypto, archived) => {
      const point = archivedPoint(archived)
      if (archived.ec_d !== undefined)
        return privateKey(crypto, coordinate(archived.ec_d), point ?? new Uint8Array(0), BACKUP_PARAMETER)
      if (!point) throw missingKey()
      return publicOnly(crypto, point)
    },
    toArchive: (crypto, key, isPublic, public_key) => {
      const point = isPublic ? key : pointOf(crypto, key)
      const [ec_x, ec_y] = [point.subarray(1, 1 + fieldBytes), point.subarray(1 + fieldBytes)].map(bytesBigint)
      return { ec_x, ec_y, ec_d: isPublic ? undefined : bytesBigint(key), public_key }
    },
    publicKey: {
      fromSpki: (crypto, der) => publicOnly(crypto, readEcSpki(curve, der, PUBLIC_KEY_PARAMETER)),
      toText: (publicKey, format) => {
        if (format === 'raw') throw unsupportedFormat(format)
        return format === 'der' ? encodeBase64(decodePem('PUBLIC KEY', publicKey)) : publicKey.trimEnd()
      },
    },
  }
}

/** The compressed form: the parity of y, then x. */
function compressed(point: Uint8Array): Uint8Array {
  const short = point.slice(0, (point.length + 1) / 2)
  short[0] = 2 + ((point.at(-1) as number) & 1)
  return short
}
