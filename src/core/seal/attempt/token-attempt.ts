/**
 * An attempt to create a token with key shares, as a state machine of pure functions. Only one attempt can be in progress, even if the
 * kinds of the tokens differ.
 *
 * The states follow Vault's API for root tokens and for DR operation tokens: no attempt -> begun -> (enough shares were given) -> no
 * attempt, and the token exists. Canceling the attempt or sealing the store ends the attempt without a token.
 */
import { conflict, invalid, notFound } from '../../base/errors.ts'
import { isPad, PAD_LENGTH } from '../token-pad.ts'

/** `root` creates a root token. `operation` creates an operation token, which authorizes only operations for disaster recovery. */
export type TokenStrategy = 'root' | 'operation'

/** The one-time pad or the PGP key that protects the token in the response. The member that is not used is empty. */
export interface TokenParameters {
  readonly otp: string
  readonly pgp_key: string
}

/** The stored attempt, encrypted by the barrier. All processes that share the store see the same attempt. */
export interface TokenAttempt extends TokenParameters {
  readonly nonce: string
  readonly strategy: TokenStrategy
  /** The fingerprint of the PGP key. Empty if a pad is used. */
  readonly pgp_fingerprint: string
  /** The attempt number of the seal record when the attempt began. Sealing all processes changes that number, which ends the attempt. */
  readonly era: number
}

export interface TokenStatus {
  /** The nonce of the attempt. Empty if no attempt is running. */
  readonly nonce: string
  readonly started: boolean
  /** The number of shares that this process was given. */
  readonly progress: number
  readonly required: number
  readonly complete: boolean
  /** The token, encoded with the pad or encrypted to the PGP key. Only in the response to the last share. */
  readonly encoded_token: string
  readonly pgp_fingerprint: string
  /** The pad. Only in the response that begins the attempt. */
  readonly otp: string
  readonly otp_length: number
}

/**
 * Decides what protects the token. If a request contains a pad and a PGP key, the pad is used. If it contains neither, both members of the
 * result are empty, and the caller must generate a pad.
 * @throws KernelError 400 if the pad has the wrong length.
 */
export function validateTokenParameters({ otp, pgp_key }: TokenParameters): TokenParameters {
  if (otp === '') return { otp, pgp_key }
  if (!isPad(otp)) throw invalid(`otp: OTP string is wrong length; it must be ${PAD_LENGTH} bytes long`)
  return { otp, pgp_key: '' }
}

/** @throws KernelError 400 if an attempt of any kind is running. */
export function beginToken(running: TokenAttempt | undefined, attempt: TokenAttempt): TokenAttempt {
  if (running) throw conflict('root generation already in progress')
  return attempt
}

/**
 * Checks that an attempt of this kind is running, so that the share of the request can be added to it.
 * @throws KernelError 400 if no attempt is running, if the nonce is wrong, or if the running attempt creates the other kind of token.
 */
export function assertTokenUpdateAllowed(
  running: TokenAttempt | undefined,
  strategy: TokenStrategy,
  nonce: string,
): TokenAttempt {
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
