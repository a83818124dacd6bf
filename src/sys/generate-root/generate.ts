/**
 * sys/generate-root/{attempt,update} creates root tokens, as in Vault. The same calls at
 * sys/replication/dr/secondary/generate-operation-token create operation tokens.
 */
import { isAnonymous } from '../../core/contract/caller.ts'
import { controlOperation } from '../../core/contract/operation.ts'
import { f } from '../../core/field/fields.ts'
import type { TokenStrategy } from '../../core/seal/attempt/token-attempt.ts'
import { TOKEN_ATTEMPTS } from '../../core/seal/attempt/token-attempts.ts'

const STATUS = {
  nonce: f.text('The nonce to send with every share; empty if no attempt is running.'),
  started: f.bool('Whether an attempt to create a root token or an operation token is running.'),
  progress: f.int('The number of shares submitted so far. They are kept only in this Node process.'),
  required: f.int('The number of required shares.'),
  complete: f.bool('Whether the token was created.'),
  encoded_token: f.text(
    'Only in the response to the last share: the token, encoded with the one-time pad (see `decodeToken`) or encrypted as a PGP message in base64.',
  ),
  encoded_root_token: f.text('The value of `encoded_token`; only for root tokens.').optional(),
  pgp_fingerprint: f.text('The fingerprint of the PGP key; empty without a PGP key.'),
  otp: f.text('The one-time pad; only in the response that begins the attempt.'),
  otp_length: f.int('The length of a one-time pad in bytes.'),
}

type Path = '/generate-root' | '/replication/dr/secondary/generate-operation-token'

/** Adds the encoded token under its older name, `encoded_root_token`, to responses about a root token. */
const shownAs =
  (strategy: TokenStrategy) =>
  <T extends { readonly encoded_token: string }>(status: T) =>
    strategy === 'root' ? { ...status, encoded_root_token: status.encoded_token } : status

const bare = <T extends object>(result: T) => ({ bare: result as Readonly<Record<string, unknown>> })

function operationsOf(strategy: TokenStrategy, at: Path) {
  const token = strategy === 'root' ? 'a root token' : 'an operation token for disaster recovery'
  const shown = shownAs(strategy)
  const open = { unauthenticated: true, rootOnly: true, neverListed: true } as const
  const byShares =
    strategy === 'root' ? ({ ...open, switched: 'generateRoot' } as const) : ({ ...open, onDrSecondary: true } as const)
  return {
    /** @throws no errors of its own. */
    readStatus: controlOperation({
      ...byShares,
      kind: 'read',
      verb: 'GET',
      path: `${at}/attempt`,
      summary: `Shows whether an attempt to create ${token} is running, and its progress.`,
      fields: {},
      returns: STATUS,
      wire: bare,
      control: async (asked) => shown(await TOKEN_ATTEMPTS.of(asked).status()),
    }),
    /**
     * @throws KernelError 400 if another attempt to generate a root token or an operation token is in progress, if `otp` is not 26 bytes
     *   long, or if the PGP key cannot be parsed.
     * @throws KernelError 429 if too many PGP keys were tested recently for callers without a token. Try again after a second.
     * @throws KernelError 502 if the PGP port failed. Its error is the `cause`.
     */
    init: controlOperation({
      ...byShares,
      kind: 'write',
      verb: 'POST',
      path: `${at}/attempt`,
      summary: `Begins an attempt to create ${token}. Without a pad or a PGP key, a pad is generated and shown only in this response.`,
      fields: {
        otp: f
          .strictText('A one-time pad of your own, as long as the token: 26 bytes. Takes precedence over a PGP key.')
          .default(''),
        pgp_key: f.strictText('The binary PGP public key in base64 to which the token is encrypted.').default(''),
      },
      returns: STATUS,
      wire: bare,
      control: async (asked, wish) => shown(await TOKEN_ATTEMPTS.of(asked).begin(strategy, wish, isAnonymous(asked.call.caller))),
    }),
    /**
     * @throws KernelError 503 if other processes keep changing the keys of the store, or if the kernel is sealed during the call. In these
     *   cases nothing was changed.
     */
    cancel: controlOperation({
      ...byShares,
      kind: 'write',
      verb: 'DELETE',
      path: `${at}/attempt`,
      summary: 'Cancels the running attempt to create a root token or an operation token.',
      fields: {},
      returns: {},
      wire: () => ({ empty: true }),
      control: async (asked) => {
        await TOKEN_ATTEMPTS.of(asked).cancel()
        return undefined
      },
    }),
    /**
     * @throws KernelError 400 if no attempt to generate such a token is in progress, if `nonce` is not the nonce of the attempt, if the
     *   share is invalid or was already given, or if the given shares do not result in the current key.
     * @throws KernelError 503 if other processes keep changing the keys of the store, or if the kernel is sealed during the call. In these
     *   cases nothing was changed.
     */
    update: controlOperation({
      ...byShares,
      kind: 'write',
      verb: 'POST',
      path: `${at}/update`,
      summary: `Submits a share. The response to the last share contains ${token}.`,
      fields: {
        key: f.share('The key share, in hexadecimal or base64. With an automatic seal, a recovery share.'),
        nonce: f.strictText('The nonce of the attempt.').default(''),
      },
      returns: STATUS,
      wire: bare,
      control: async (asked, { key, nonce }) => shown(await TOKEN_ATTEMPTS.of(asked).update(strategy, { share: key, nonce })),
    }),
  }
}

export const generateRoot = operationsOf('root', '/generate-root')
export const generateOperationToken = operationsOf('operation', '/replication/dr/secondary/generate-operation-token')
