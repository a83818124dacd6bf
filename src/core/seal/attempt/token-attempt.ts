/**
 * An attempt to create a token, authorized by shares, as a pure state machine. Only one runs at a time, whatever the kind of token.
 *
 * none -> begun -> (enough shares) -> none, and the token exists. Cancelling or sealing ends the attempt. The states follow Vault's API for
 * root tokens and for DR operation tokens.
 */
import { conflict, invalid, notFound } from '../../base/errors.ts'
import { isPad, PAD_LENGTH } from '../token-pad.ts'

/** A root token, or a token that authorizes only disaster recovery operations. */
export type TokenStrategy = 'root' | 'operation'

/** The one-time pad or the PGP key that protects the token. One of them is empty. */
export interface TokenParameters {
  readonly otp: string
  readonly pgp_key: string
}

/** The attempt, encrypted by the barrier. All processes of the store see the same one. */
export interface TokenAttempt extends TokenParameters {
  readonly nonce: string
  readonly strategy: TokenStrategy
  /** Empty without a PGP key. */
  readonly pgp_fingerprint: string
  /** The number of attempts in the seal record. Sealing changes it, and the attempt has then ended. */
  readonly era: number
}

export interface TokenStatus {
  /** Empty if no attempt is running. */
  readonly nonce: string
  readonly started: boolean
  /** Shares that were given to this process. */
  readonly progress: number
  readonly required: number
  readonly complete: boolean
  /** In the answer to the last share: the token, encoded with the pad or encrypted to the PGP key. */
  readonly encoded_token: string
  readonly pgp_fingerprint: string
  /** The pad, only in the answer that begins the attempt. */
  readonly otp: string
  readonly otp_length: number
}

/** How the token will be protected. A pad takes precedence over a key; if both are empty, a pad is generated. @throws KernelError 400 */
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

/** Checks that a share may be given. @throws KernelError 400 */
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
