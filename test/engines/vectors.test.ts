import { expect, it } from 'vitest'
import { decodeBase64 } from '../../src/core/base/base64.ts'
import { systemClock } from '../../src/core/base/clock.ts'
import { Deadline } from '../../src/core/base/deadline.ts'
import { nobleCrypto } from '../../src/core/crypto/noble/index.ts'
import { isKeyType, keyType } from '../../src/engines/transit/key-types/index.ts'
import { encodeMaterial, VersionKey } from '../../src/engines/transit/material.ts'
import { parseVersioned, serviceForm } from '../../src/engines/transit/text.ts'
import { systemEntropy } from '../../src/index.ts'
import { describeWithShared, readSharedJson } from '../fixtures/shared-data.ts'

const FILE = 'reference/transit-vectors.json'

interface Vector {
  readonly id: string
  readonly type: string
  readonly derived: boolean
  readonly kdf?: string
  readonly key_b64: string
  readonly key_version: number
  readonly context_b64?: string | null
  readonly associated_data_b64?: string | null
  readonly ciphertext: string
  readonly plaintext_b64: string
}

const bytes = (text: string | null | undefined) => decodeBase64(text ?? '', 'vector')

describeWithShared(FILE, 'transit ciphertexts of real servers', () => {
  const vectors = readSharedJson<{ readonly aead_decrypt: readonly Vector[] }>(FILE).aead_decrypt

  it('exist in the shared data', () => {
    expect(vectors.length).toBeGreaterThan(0)
  })

  it.each(vectors.map((vector) => [vector.id, vector] as const))(
    'are decrypted with their key, and refused after a change of one byte: %s',
    (_, vector) => {
      if (!isKeyType(vector.type)) throw new Error(`a type we do not have: ${vector.type}`)
      const type = keyType(vector.type)
      const crypto = nobleCrypto()
      const env = {
        crypto,
        entropy: systemEntropy(),
        ciphertextPrefix: 'vault',
        headerPrefix: 'X-Vault',
        fips: false,
        ports: {},
        closing: new AbortController().signal,
        deadline: new Deadline(systemClock, 1000, new AbortController().signal),
      }
      const key = new VersionKey(type, crypto, encodeMaterial(new Uint8Array(32), bytes(vector.key_b64)))
      const { version, body } = parseVersioned(serviceForm('vault'), vector.ciphertext, 'ciphertext')
      const kdf = vector.kdf === 'hkdf_sha256' ? 1 : 0
      const derivation = vector.derived ? ({ kdf, context: bytes(vector.context_b64), convergent: 0 } as const) : undefined
      const job = { sealed: bytes(body), associatedData: bytes(vector.associated_data_b64), derivation, nonce: undefined }
      expect(version).toBe(vector.key_version)
      expect(type.encryptor?.open(env, key, job)).toEqual(bytes(vector.plaintext_b64))
      job.sealed[20] = (job.sealed[20] as number) ^ 1
      expect(type.encryptor?.open(env, key, job)).toBeUndefined()
    },
  )
})
