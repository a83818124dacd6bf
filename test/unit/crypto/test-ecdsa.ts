/** Wycheproof's ECDSA vectors, for the quick and the slow tier. */

import { describe } from 'vitest'
import { nodeCrypto } from '../../../src/adapters/crypto-node/index.ts'
import { KernelError } from '../../../src/core/base/errors.ts'
import type { CryptoBackend, CurveName, HashName } from '../../../src/core/crypto/backend.ts'
import { decodeEcdsaSignature } from '../../../src/core/crypto/ecdsa-der.ts'
import { nobleCrypto } from '../../../src/core/crypto/noble/index.ts'
import { ecSpkiPem } from '../../../src/core/crypto/spki.ts'
import { ALL_BY_WEB_CRYPTO } from '../../fixtures/backends.ts'
import { unhex } from '../../vectors/load.ts'
import { itMatchesWycheproof, type Turn, type WycheproofTest } from '../../vectors/wycheproof.ts'
import { WYCHEPROOF_HASHES } from './hashes.ts'
import { driven } from './steps.ts'

interface SignatureTest extends WycheproofTest {
  readonly msg: string
  readonly sig: string
}
interface Group {
  readonly sha: string
  readonly publicKeyPem: string
  readonly publicKey: { readonly uncompressed: string }
}

const NOBLE = nobleCrypto({ accelerate: false })
const NODE = nodeCrypto()

const SIZE: Readonly<Record<CurveName, number>> = { 'P-256': 32, 'P-384': 48, 'P-521': 66 }

const FILES = [
  ['P-256', ['secp256r1_sha256', 'secp256r1_sha512', 'secp256r1_sha3_256', 'secp256r1_sha256_p1363']],
  ['P-384', ['secp384r1_sha384', 'secp384r1_sha512', 'secp384r1_sha384_p1363']],
  ['P-521', ['secp521r1_sha512', 'secp521r1_sha512_p1363']],
] as const

interface Way {
  readonly name: string
  /** Whether OpenSSL verifies, so that all vectors take little time. */
  readonly isFast: boolean
  readonly verify: (curve: CurveName) => Verify
}

const inSteps =
  (backend: CryptoBackend): Way['verify'] =>
  (curve) =>
  (hash, point, signature, message) =>
    driven(backend.ecdsaVerify(curve, point).verifyMessageSteps(signature, message, hash))

/** The distinct verification paths: digests by noble, messages by the platform. */
const WAYS: readonly Way[] = [
  { name: 'the default backend, messages in steps', isFast: true, verify: inSteps(nobleCrypto()) },
  {
    name: 'node:crypto, messages in one call',
    isFast: true,
    verify: (curve) => (hash, point, signature, message) =>
      NODE.ecdsaVerify(curve, point).verifyMessage(signature, message, hash),
  },
  { name: 'WebCrypto, messages in steps', isFast: false, verify: inSteps(ALL_BY_WEB_CRYPTO) },
  {
    name: 'noble, digests',
    isFast: false,
    verify: (curve) => (hash, point, signature, message) =>
      NOBLE.ecdsaVerify(curve, point).verifyDigest(signature, NOBLE.hash(hash).digest(message)),
  },
]

/**
 * @param turnOf Selects the vectors of a verification path that another tier runs: `all`, undefined for no vector, or those for which the
 * returned function gives a reason.
 */
export function testEcdsa(turnOf: (isFast: boolean, curve: CurveName) => Turn | 'all' | undefined): void {
  describe.each(FILES)('ECDSA on %s', (curve, files) => {
    describe.each(WAYS.filter(({ isFast }) => turnOf(isFast, curve) !== 'all'))('by $name', ({ isFast, verify }) => {
      const turn = turnOf(isFast, curve)
      for (const file of files) testFile(`ecdsa_${file}_test.json`, curve, verify(curve), turn === 'all' ? undefined : turn)
    })
  })
}

type Verify = (hash: HashName, point: Uint8Array, signature: Uint8Array, message: Uint8Array) => boolean | Promise<boolean>

function testFile(file: string, curve: CurveName, verify: Verify, outside: Turn | undefined): void {
  itMatchesWycheproof<Group, SignatureTest>(file, {
    ...(outside ? { outside } : {}),
    accepts(test, group) {
      const point = unhex(group.publicKey.uncompressed)
      const hash = WYCHEPROOF_HASHES[group.sha]
      if (hash === undefined) throw new Error(`unknown hash ${group.sha}`)
      if (ecSpkiPem(curve, point).trimEnd() !== group.publicKeyPem.trimEnd()) throw new Error('the SPKI form differs')
      const signature = file.includes('p1363') ? unhex(test.sig) : fromDer(unhex(test.sig), SIZE[curve])
      return signature !== undefined && verify(hash, point, signature, unhex(test.msg))
    },
  })
}

/** A malformed encoding throws; an incorrect signature only returns false. For Wycheproof both are invalid. */
function fromDer(der: Uint8Array, size: number): Uint8Array | undefined {
  try {
    return decodeEcdsaSignature(der, size)
  } catch (error) {
    if (error instanceof KernelError && error.status === 400) return undefined
    throw error
  }
}
