/**
 * An attempt to make a token by shares, as a pure state machine. One runs at a time, whatever the kind of its token.
 *
 * none -> begun -> (enough shares) -> none, and the token is there. Cancelling and sealing lead to none. Source: spec document 2, "DR
 * operation token generation"; for root tokens the originals.
 */
import { conflict, invalid, notFound } from '../../base/errors.ts'
import { isPad, PAD_LENGTH } from '../token-pad.ts'

/** A root token, or one that is good for operations of disaster recovery only. */
export type TokenStrategy = 'root' | 'operation'

/** Who can read the token: the holder of the pad, or of the PGP key. One of them is empty. */
export interface TokenWish {
  readonly otp: string
  readonly pgp_key: string
}

/** The attempt, stored behind the barrier so that every process of the store sees the same one. */
export interface TokenAttempt extends TokenWish {
  readonly nonce: string
  readonly strategy: TokenStrategy
  /** Empty without a PGP key. */
  readonly pgp_fingerprint: string
  /** The number of attempts in the seal record: sealing changes it, and the attempt is then over. */
  readonly era: number
}

export interface TokenStatus {
  /** Empty where no attempt is running. */
  readonly nonce: string
  readonly started: boolean
  /** Shares given to this process. */
  readonly progress: number
  readonly required: number
  readonly complete: boolean
  /** The token, under the pad or encrypted to the PGP key, in the answer to the last share. */
  readonly encoded_token: string
  readonly pgp_fingerprint: string
  /** The pad, in the answer that begins an attempt and never again. */
  readonly otp: string
  readonly otp_length: number
}

/** How the token will be encoded; a pad takes precedence over a key. Both empty: a pad is made. @throws KernelError 400 */
export function judgeTokenWish({ otp, pgp_key }: TokenWish): TokenWish {
  if (otp === '') return { otp, pgp_key }
  if (!isPad(otp)) throw invalid(`otp: OTP string is wrong length; it must be ${PAD_LENGTH} bytes long`)
  return { otp, pgp_key: '' }
}

/** @throws KernelError 400 where an attempt of any kind is running. */
export function beginToken(running: TokenAttempt | undefined, attempt: TokenAttempt): TokenAttempt {
  if (running) throw conflict('root generation already in progress')
  return attempt
}

/** Whether a share may be given. @throws KernelError 400 */
export function judgeTokenUpdate(running: TokenAttempt | undefined, strategy: TokenStrategy, nonce: string): TokenAttempt {
  if (!running) throw notFound('no root generation in progress', 400)
  if (nonce !== running.nonce)
    throw conflict(`nonce: incorrect nonce supplied; nonce for this root generation operation is "${running.nonce}"`)
  if (running.strategy !== strategy)
    throw conflict('incorrect strategy supplied; a generate root operation of another type is already in progress')
  return running
}

export const tokenStatus = (attempt: TokenAttempt | undefined, required: number, progress: number): TokenStatus => ({
  nonce: attempt?.nonce ?? '',
  started: attempt !== undefined,
  progress: attempt ? progress : 0,
  required,
  complete: false,
  encoded_token: '',
  pgp_fingerprint: attempt?.pgp_fingerprint ?? '',
  otp: '',
  otp_length: PAD_LENGTH,
})
