/** Creates activation tokens. Each token activates one secondary, once. */
import { wrapAnswer } from '../../../core/access/wrapping/wrapping-token.ts'
import { alreadyExists, conflict, invalid } from '../../../core/base/errors.ts'
import { toHex, uuid } from '../../../core/base/identifiers.ts'
import { texts } from '../../../core/base/texts.ts'
import { isWellFormed } from '../../../core/base/well-formed.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import type { WireReply } from '../../../core/contract/wire-reply.ts'
import type { Parsed, Result } from '../../../core/field/field.ts'
import { f } from '../../../core/field/fields.ts'
import { transactionOf } from '../../../core/transaction/transaction-of.ts'
import { sealTo } from '../channel/box.ts'
import { PUBLIC_KEY_BYTES } from '../channel/key-pair.ts'
import { MAX_PEER_ID_BYTES } from '../channel/limits.ts'
import type { SetMember } from '../membership.ts'
import { REPLICATION } from '../replication-context.ts'
import { bundleFor } from '../serve/activate.ts'
import { peerRecordId } from '../serve/peer-keys.ts'
import type { Forward } from '../state/records.ts'
import type { ReplicationKind } from '../state/replication-kind.ts'
import { pack } from '../wire/packed.ts'
import { formatSealedToken } from './activation-token.ts'

const DEFAULT_TTL = 1800

export const TOKEN_FIELDS = {
  id: f.text('The id of the secondary. It must be unique among the secondaries of this cluster.').needed(''),
  ttl: f.duration('How long the token is valid.').default(DEFAULT_TTL),
  secondary_public_key: f
    .text(
      'The public key that `generatePublicKey` returned on the secondary. If given, the token is encrypted with this key, so only that secondary can use the token.',
    )
    .default(''),
}

export const TOKEN_RESULT = {
  wrap_info: f
    .json<SecondaryTokenInfo>('The activation token with its lifetime and creation time; absent if a public key was given.', {
      type: 'object',
    })
    .optional(),
  token: f.text('The activation token, encrypted to the given public key; absent if no public key was given.').optional(),
}

export const tokenReply = ({ wrap_info, token }: Result<typeof TOKEN_RESULT>): WireReply =>
  token === undefined ? { wrap_info: wrap_info ?? {} } : { data: { token } }

/** @throws KernelError 400 if the cluster is not a primary, if the id is invalid or in use, or if the ttl or the public key is invalid. */
export function makeSecondaryToken(
  tx: Tx,
  kind: ReplicationKind,
  { id, ttl, secondary_public_key: given, forward }: Parsed<typeof TOKEN_FIELDS> & { readonly forward: Forward },
): Result<typeof TOKEN_RESULT> {
  const context = REPLICATION.of(tx)[kind.name]
  const { membership, nodes } = context
  if (membership.mode !== 'primary') throw conflict('the cluster is not a primary')
  checkId(id)
  if (ttl < 1) throw invalid('ttl: must be at least one second')
  const key = given === '' ? undefined : publicKeyIn(given)
  // Do not wait for acknowledgements: without this token, possibly no secondary exists that could acknowledge.
  transactionOf(tx).skipsAcknowledgement = true
  const member = tx.once('replication member', () => membership.member(), 'attempt')
  if (tx.get(kind.peer, peerRecordId(id))) throw alreadyExists('id: a secondary with this id already has a token')
  const peer = { id, forward, issued: tx.now }
  // Make sure that this kernel listens: if another kernel made this cluster a primary, this kernel may not have started to listen yet.
  const addresses = tx.once('replication addresses', () => context.applyRole().then(() => nodes.addresses()), 'attempt')
  const { self } = context
  const first = member.relation.primary_cluster_addr || self.address
  if (key) {
    tx.put(kind.peer, peerRecordId(id), { ...peer, key: toHex(key), until: tx.now + ttl * 1000 })
    return { token: tx.steps('token', () => sealedToken(tx, { kind, member, key, peer, addresses, self }), 'attempt') }
  }
  const { purpose } = kind
  const meta = { purpose, id, addr: first, key: toHex(member.keys.identity.publicKey) }
  const answer = JSON.stringify(answerOf(tx, { purpose, id }))
  const path = `sys/replication/${kind.name}/primary/secondary-token`
  const info = wrapAnswer(tx, { answer, status: 200, ttl, path, wrappedAccessor: undefined, format: 'jwt', meta })
  tx.put(kind.peer, peerRecordId(id), { ...peer, accessor: info.accessor })
  return { wrap_info: { ...info, wrapped_accessor: '' } }
}

/** The `wrap_info` of an answer with an activation token. */
export interface SecondaryTokenInfo {
  /** The activation token: a JWT, signed with ES512. */
  readonly token: string
  /** The accessor of the underlying wrapping token. Revoking that token also revokes the activation token. */
  readonly accessor: string
  /** How long the token is valid, in seconds. */
  readonly ttl: number
  /** When the token was created, as a time in RFC 3339 format. */
  readonly creation_time: string
  /** The path of the operation that created the token. */
  readonly creation_path: string
  /** Always empty. */
  readonly wrapped_accessor?: string
}

interface TokenParts {
  readonly kind: ReplicationKind
  readonly member: SetMember
  readonly key: Uint8Array
  readonly peer: { readonly id: string; readonly forward: Forward }
  readonly addresses: readonly string[]
  readonly self: { readonly address: string; readonly api: string }
}

function* sealedToken({ env }: Tx, { kind, member, key, peer, addresses, self }: TokenParts) {
  const bundle = bundleFor(kind, member, peer, addresses, self)
  const sealed = yield* sealTo({ crypto: env.crypto, entropy: env.entropy }, key, pack(bundle), kind.purpose)
  if (!sealed) throw invalid('secondary_public_key: must be a valid public key')
  return formatSealedToken(sealed)
}

/** Returns the answer for a caller who unwraps the token instead of using it for activation. The answer contains no secrets. */
const answerOf = (tx: Tx, data: object): object => ({
  request_id: uuid(tx.env.entropy.bytes(16)),
  lease_id: '',
  renewable: false,
  lease_duration: 0,
  data,
  wrap_info: null,
  warnings: null,
  auth: null,
  mount_type: tx.call.mount.type,
})

function checkId(id: string): void {
  if (id === '') throw invalid('id: required')
  if (!isWellFormed(id)) throw invalid('id: must be Unicode text')
  if (texts.byteLength(id) > MAX_PEER_ID_BYTES) throw invalid(`id: must have at most ${MAX_PEER_ID_BYTES} bytes`)
}

function publicKeyIn(text: string): Uint8Array {
  const bytes = /^[A-Za-z0-9+/]{43}=$/.test(text) ? texts.fromBase64(text) : undefined
  if (bytes?.length === PUBLIC_KEY_BYTES && texts.base64(bytes) === text) return bytes
  throw invalid('secondary_public_key: must be a key from generatePublicKey')
}
