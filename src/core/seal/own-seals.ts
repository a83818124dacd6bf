/**
 * The seals given to this process, and wrapping by them.
 */
import { KernelError } from '../base/errors.ts'
import { type AnySeal, isAutomatic } from './seal.ts'

export interface OwnSeals {
  readonly seal: AnySeal
  /** The seal that opened the store before `seal`. */
  readonly former: AnySeal | undefined
}

/** Wraps bytes by the automatic seal in force. */
export async function wrapBySeal({ seal }: OwnSeals, bytes: Uint8Array): Promise<Uint8Array> {
  if (!isAutomatic(seal)) throw new TypeError('a manual seal wraps by its shares')
  return seal.wrap(bytes)
}

/**
 * Unwraps bytes that an automatic seal of that type wrapped: the present seal or the former. @throws KernelError when neither
 * can
 */
export async function unwrapBySeals({ seal, former }: OwnSeals, type: string, wrapped: Uint8Array): Promise<Uint8Array> {
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
