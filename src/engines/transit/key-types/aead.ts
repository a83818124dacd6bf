/** AES-GCM, ChaCha20-Poly1305 and XChaCha20-Poly1305. A ciphertext body is nonce, ciphertext and 16-byte tag, as in Vault. */
import { copyBytes } from '../../../core/base/bytes.ts'
import { isTurnSpent } from '../../../core/base/clock.ts'
import { invalid } from '../../../core/base/errors.ts'
import { isSteps, mapOutcome, SLICE_BYTES, type Steps } from '../../../core/base/steps.ts'
import { texts } from '../../../core/base/texts.ts'
import type { Environment } from '../../../core/contract/environment.ts'
import type { AeadKey, AeadName, Wipeable } from '../../../core/crypto/backend.ts'
import type { PinnedKey } from '../../../core/crypto/key-cache.ts'
import { unpinAfter } from '../derived-keys.ts'
import type { VersionKey } from '../material.ts'
import { convergentNonce } from './convergent-nonce.ts'
import { deriveBytes } from './derive.ts'
import type { ArchiveNumbers } from './key-codec.ts'
import type { Derivation, Encryptor, KeyType, OpenJob, SealJob } from './key-type.ts'
import { rawCodec } from './raw-codec.ts'

const TAG_BYTES = 16

const NONCE_KEY_BYTES = 32

export function aeadType(name: AeadName, keyBytes: number, nonceBytes: number, numbers: ArchiveNumbers): KeyType {
  /** The nonce of a decryption in one step, which is over before the next one begins. */
  const usedNow = new Uint8Array(nonceBytes)

  const encryptor: Encryptor = {
    aead: true,
    counted: nonceBytes === 12,
    seal(env, key, job) {
      const { derivation } = job
      // Random nonces are created only here and in `nonceFor`. `RingKeys.sealing` has already counted the encryption.
      if (!derivation) return sealWith(key.primitive as AeadKey, env.entropy.bytes(nonceBytes), job, true)
      const derived = derivedKey(env, key, derivation)
      return unpinAfter(derived, () => {
        const { aead } = derived.value
        const nonce = nonceFor(env, key, derivation, derived.value, job)
        const stored = derivation.convergent !== 1
        return isSteps(nonce) ? sealWithDerivedNonce(aead, nonce, job, stored) : sealWith(aead, nonce, job, stored)
      })
    },
    open(env, key, job) {
      if (!job.derivation) return openWith(key.primitive as AeadKey, job)
      const derived = derivedKey(env, key, job.derivation)
      return unpinAfter(derived, () => openWith(derived.value.aead, job))
    },
  }

  function derivedKey({ crypto }: Environment, key: VersionKey, derivation: Derivation): PinnedKey<DerivedAead> {
    return key.derived(derivation.context, () => {
      const bytes = deriveBytes(key, derivation, keyBytes + (derivation.convergent === 3 ? NONCE_KEY_BYTES : 0))
      try {
        return new DerivedAead(crypto.aead(name, bytes.subarray(0, keyBytes)), bytes.slice(keyBytes))
      } finally {
        bytes.fill(0)
      }
    })
  }

  /**
   * Returns a random nonce, the caller's nonce, or a nonce derived from the input (convergent versions 2 and 3). For long input, the
   * derivation takes several steps.
   */
  function nonceFor(
    env: Environment,
    key: VersionKey,
    derivation: Derivation,
    { nonceKey }: DerivedAead,
    job: SealJob,
  ): Uint8Array | Steps<Uint8Array> {
    const { convergent } = derivation
    if (convergent === 0) return env.entropy.bytes(nonceBytes)
    if (convergent === 1) return checkNonce(job.nonce)
    if (convergent === 3 && nonceKey.length < NONCE_KEY_BYTES)
      throw invalid('name: this key derives too few bytes for convergent encryption')
    const made = convergentNonce(env.crypto, key, derivation, nonceKey, job)
    return mapOutcome(made, (full) => full.subarray(0, nonceBytes))
  }

  function checkNonce(nonce: Uint8Array | undefined): Uint8Array {
    if (nonce?.length === nonceBytes) return nonce
    throw invalid(`nonce: convergent keys of version 1 need exactly ${nonceBytes} bytes`)
  }

  function openWith(
    aead: AeadKey,
    { sealed, associatedData, nonce, derivation, sync }: OpenJob,
  ): Uint8Array | undefined | Steps<Uint8Array | undefined> {
    const stored = derivation?.convergent === 1 ? 0 : nonceBytes
    if (sealed.length < stored + TAG_BYTES) return undefined
    const bytes = sealed.length - stored - TAG_BYTES + associatedData.length
    const waits = !sync && mustWait(bytes)
    const inSteps = waits || (!sync && bytes > aead.shortBytes)
    const used = stored === 0 ? checkNonce(nonce) : copyStart(sealed, inSteps ? new Uint8Array(nonceBytes) : usedNow)
    return inSteps
      ? afterPauseIf(waits, aead.openSteps(used, sealed.subarray(stored), associatedData))
      : aead.open(used, sealed, associatedData, stored)
  }

  return {
    displayName: undefined,
    keySizes: undefined,
    upsert: true,
    canDerive: true,
    canConverge: true,
    macOnly: false,
    fips: name === 'aes-gcm',
    isManaged: false,
    costs: () => ({ encrypt: 5, decrypt: 5, sign: 0, verify: 0 }),
    blockingBackends: name === 'xchacha20-poly1305' ? ['noble', 'accelerated'] : ['noble'],
    numbers,
    code: [],
    encryptor,
    signer: undefined,
    agreedKeyBytes: keyBytes,
    generate: (tx) => ({ key: tx.env.entropy.bytes(keyBytes), publicKey: '' }),
    open: (crypto, key) => crypto.aead(name, key),
    codec: rawCodec(keyBytes),
  }
}

/**
 * Copies instead of creating a view: for a view, V8 first moves the bytes of a small array to a separate buffer, which takes longer than
 * copying so few bytes.
 */
function copyStart(bytes: Uint8Array, to: Uint8Array): Uint8Array {
  copyBytes(bytes, 0, to, 0, to.length)
  return to
}

/** Whether a long value begins in a later turn of the event loop, because other long values have used up the time of this one. */
const mustWait = (bytes: number): boolean => bytes > SLICE_BYTES && isTurnSpent()

function* afterPauseIf<T>(waits: boolean, steps: Steps<T>): Steps<T> {
  if (waits) yield
  return yield* steps
}

function sealWith(
  aead: AeadKey,
  nonce: Uint8Array,
  { plaintext, associatedData, sync }: SealJob,
  stored: boolean,
): Uint8Array | Steps<Uint8Array> {
  const at = stored ? nonce.length : 0
  const out = texts.buffer(at + plaintext.length + TAG_BYTES)
  copyBytes(nonce, 0, out, 0, at)
  const bytes = plaintext.length + associatedData.length
  const waits = !sync && mustWait(bytes)
  if (waits || (!sync && bytes > aead.shortBytes))
    return sealInSteps(afterPauseIf(waits, aead.sealSteps(nonce, plaintext, associatedData, out, at)), out)
  aead.seal(nonce, plaintext, associatedData, out, at)
  return out
}

function* sealInSteps(steps: Steps<void>, out: Uint8Array): Steps<Uint8Array> {
  yield* steps
  return out
}

/** Encrypts with a convergent nonce that is computed with pauses for the event loop. */
function* sealWithDerivedNonce(aead: AeadKey, nonce: Steps<Uint8Array>, job: SealJob, stored: boolean): Steps<Uint8Array> {
  const sealed = sealWith(aead, yield* nonce, job, stored)
  return isSteps(sealed) ? yield* sealed : sealed
}

/** The key that is derived for a context. `nonceKey` is empty unless the nonces of convergent encryption need it. */
class DerivedAead implements Wipeable {
  readonly aead: AeadKey
  readonly nonceKey: Uint8Array

  constructor(aead: AeadKey, nonceKey: Uint8Array) {
    this.aead = aead
    this.nonceKey = nonceKey
  }

  wipe(): void {
    this.aead.wipe()
    this.nonceKey.fill(0)
  }
}
