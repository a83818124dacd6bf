/**
 * How a Wycheproof file of ECDSA signatures is judged; one test file per curve uses it, so that they run beside each other.
 */

import { describe } from 'vitest'
import { KernelError } from '../../../src/core/base/errors.ts'
import type { CurveName, HashName } from '../../../src/core/crypto/backend.ts'
import { decodeEcdsaSignature } from '../../../src/core/crypto/der.ts'
import { nobleCrypto } from '../../../src/core/crypto/noble/index.ts'
import { ecSpkiPem } from '../../../src/core/crypto/spki.ts'
import { BACKENDS } from '../../fixtures/backends.ts'
import { unhex } from '../../vectors/load.ts'
import { itJudges, type WycheproofTest } from '../../vectors/wycheproof.ts'
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

const SIZE: Readonly<Record<CurveName, number>> = { 'P-256': 32, 'P-384': 48, 'P-521': 66 }

/** Every way that differs: digests by noble, messages by whom the default asks and by OpenSSL. */
export function judgeEcdsa(file: string, curve: CurveName): void {
  const noble = nobleCrypto({ accelerate: false })
  judge(file, curve, (hash, point, signature, message) =>
    noble.ecdsaVerify(curve, point).verifyDigest(signature, noble.hash(hash).digest(message)),
  )
  const others = BACKENDS.filter(({ name }) => name !== noble.name)
  describe.each(others)('$name, messages', (backend) => {
    judge(file, curve, (hash, point, signature, message) =>
      driven(backend.ecdsaVerify(curve, point).verifyMessageSteps(signature, message, hash)),
    )
  })
}

type Verify = (hash: HashName, point: Uint8Array, signature: Uint8Array, message: Uint8Array) => boolean | Promise<boolean>

function judge(file: string, curve: CurveName, verify: Verify): void {
  itJudges<Group, SignatureTest>(file, {
    timeout: 180_000,
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

/** A malformed encoding is refused as loudly as a wrong signature is refused quietly. */
function fromDer(der: Uint8Array, size: number): Uint8Array | undefined {
  try {
    return decodeEcdsaSignature(der, size)
  } catch (error) {
    if (error instanceof KernelError && error.status === 400) return undefined
    throw error
  }
}
