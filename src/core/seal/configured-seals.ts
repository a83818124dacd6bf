/**
 * The seals in the options of the kernel, and functions that wrap and unwrap bytes with them.
 */
import { KernelError } from '../base/errors.ts'
import { type AnySeal, isAutomatic } from './seal.ts'

export interface ConfiguredSeals {
  readonly seal: AnySeal
  /** The seal that protected the store before `seal`. It is needed to move the store to `seal`. */
  readonly former: AnySeal | undefined
}

/** Wraps bytes with the current automatic seal. */
export async function wrapBySeal({ seal }: ConfiguredSeals, bytes: Uint8Array): Promise<Uint8Array> {
  if (!isAutomatic(seal)) throw new TypeError('a manual seal cannot wrap bytes without its shares')
  return seal.wrap(bytes)
}

/**
 * Unwraps bytes that an automatic seal of this type wrapped. Tries the current seal and the former seal.
 * @throws KernelError if neither seal can unwrap the bytes.
 */
export async function unwrapBySeals({ seal, former }: ConfiguredSeals, type: string, wrapped: Uint8Array): Promise<Uint8Array> {
  let refusal: unknown
  for (const candidate of [seal, former]) {
    if (!candidate || !isAutomatic(candidate) || candidate.type !== type) continue
    try {
      return await candidate.unwrap(wrapped)
    } catch (error) {
      refusal ??= error
    }
  }
  throw refusal ?? new KernelError('ERR_SEALED', `the store is sealed with a seal of type ${type}, not ${seal.type}`)
}
