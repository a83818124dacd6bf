/**
 * sys/generate-root/{attempt,update}, and the same for operation tokens at sys/replication/dr/secondary/generate-operation-token (source: spec
 * document 2; root tokens as the originals have it).
 */
import { isAnonymous } from '../../core/contract/caller.ts'
import { controlOperation } from '../../core/contract/operation.ts'
import { f } from '../../core/field/fields.ts'
import { ATTEMPTS } from '../../core/seal/attempt/index.ts'
import type { TokenStrategy } from '../../core/seal/attempt/token-attempt.ts'

const STATUS = {
  nonce: f.text('Goes with every share; empty where nothing is running.'),
  started: f.bool('Whether an attempt is running, of whatever kind of token.'),
  progress: f.int('Shares that were given to this process.'),
  required: f.int('Shares that are needed.'),
  complete: f.bool('The token is here.'),
  encoded_token: f.text('With the last share: the token under the pad (see `decodeToken`), or base64 of a PGP message.'),
  encoded_root_token: f.text('The same, of a root token.').optional(),
  pgp_fingerprint: f.text('Of the PGP key; empty without.'),
  otp: f.text('The pad, when the attempt begins and never again.'),
  otp_length: f.int('Of a pad, in bytes.'),
}

type Path = '/generate-root' | '/replication/dr/secondary/generate-operation-token'

/** Replies show root tokens under the older name, too. */
const shownAs =
  (strategy: TokenStrategy) =>
  <T extends { readonly encoded_token: string }>(status: T) =>
    strategy === 'root' ? { ...status, encoded_root_token: status.encoded_token } : status

const bare = <T extends object>(result: T) => ({ bare: result as Readonly<Record<string, unknown>> })

function operationsOf(strategy: TokenStrategy, at: Path) {
  const token = strategy === 'root' ? 'root token' : 'operation token for disaster recovery'
  const shown = shownAs(strategy)
  const open = { unauthenticated: true, rootOnly: true, neverListed: true } as const
  const byShares =
    strategy === 'root' ? ({ ...open, switched: 'generateRoot' } as const) : ({ ...open, onDrSecondary: true } as const)
  return {
    readStatus: controlOperation({
      ...byShares,
      kind: 'read',
      verb: 'GET',
      path: `${at}/attempt`,
      summary: `Tells whether a ${token} is being made, and how far that is.`,
      fields: {},
      returns: STATUS,
      wire: bare,
      control: async (asked) => shown(await ATTEMPTS.of(asked).token.status()),
    }),
    init: controlOperation({
      ...byShares,
      kind: 'write',
      verb: 'POST',
      path: `${at}/attempt`,
      summary: `Begins to make a ${token}. Without a pad and a PGP key a pad is made, and shown in this answer only.`,
      fields: {
        otp: f.strictText('A pad of your own, as long as the token: 26 bytes. It goes before a PGP key.').default(''),
        pgp_key: f.strictText('Base64 of the binary PGP public key that the token is encrypted to.').default(''),
      },
      returns: STATUS,
      wire: bare,
      control: async (asked, wish) => shown(await ATTEMPTS.of(asked).token.begin(strategy, wish, isAnonymous(asked.call.caller))),
    }),
    cancel: controlOperation({
      ...byShares,
      kind: 'write',
      verb: 'DELETE',
      path: `${at}/attempt`,
      summary: 'Ends what is running, of whatever kind of token.',
      fields: {},
      returns: {},
      wire: () => ({ empty: true }),
      control: async (asked) => {
        await ATTEMPTS.of(asked).token.cancel()
        return undefined
      },
    }),
    update: controlOperation({
      ...byShares,
      kind: 'write',
      verb: 'POST',
      path: `${at}/update`,
      summary: `Gives a share; the last one answers with the ${token}.`,
      fields: {
        key: f.share('The share: hexadecimal or base64. A recovery share where the seal is automatic.'),
        nonce: f.strictText('Of the attempt.').default(''),
      },
      returns: STATUS,
      wire: bare,
      control: async (asked, { key, nonce }) => shown(await ATTEMPTS.of(asked).token.update(strategy, { share: key, nonce })),
    }),
  }
}

export const generateRoot = operationsOf('root', '/generate-root')
export const generateOperationToken = operationsOf('operation', '/replication/dr/secondary/generate-operation-token')
