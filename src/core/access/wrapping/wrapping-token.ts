/** Response wrapping, as in Vault: an answer is stored, and a wrapping token returns it once. */
import { rfc3339 } from '../../base/clock.ts'
import { notFound } from '../../base/errors.ts'
import { parseJsonDocument, serializeJsonDocument } from '../../contract/document.ts'
import { type NamespaceRecord, ROOT_NAMESPACE } from '../../contract/namespace.ts'
import type { TokenRecord } from '../../contract/token-record.ts'
import type { Tx } from '../../contract/tx.ts'
import { jsonText } from '../../json/json-text.ts'
import { TOPOLOGY } from '../../mount/topology.ts'
import { isWrapping, WRAPPING_POLICY } from '../policies.ts'
import { ancestors } from '../token/ancestry.ts'
import { expiryOf, storeToken } from '../token/store-token.ts'
import { storedId } from '../token/stored-id.ts'
import { CUBBYHOLE } from '../token/token.ts'
import { newAccessor, newCubbyholeId, newServiceToken } from '../token/token-id.ts'
import { isJwt, openJwt, signJwt } from './wrapping-jwt.ts'

export interface WrapInfo {
  readonly token: string
  readonly accessor: string
  /** The lifetime of the wrapping token in seconds. */
  readonly ttl: number
  /** When the wrapping token was created (RFC 3339). */
  readonly creation_time: string
  /** The path of the wrapped request, relative to its namespace. */
  readonly creation_path: string
  /** The accessor of the token in the answer, if the answer contains a token. */
  readonly wrapped_accessor?: string
}

/** An answer to be stored. */
interface AnswerToWrap {
  /** The whole answer as JSON text. */
  readonly answer: string
  /** The HTTP status of the answer. */
  readonly status: number
  /** The lifetime of the wrapping token in seconds, at least 1. */
  readonly ttl: number
  readonly path: string
  readonly wrappedAccessor: string | undefined
  readonly format: 'token' | 'jwt'
  /** Metadata of the token, for uses other than unwrapping. In a JWT, the members `addr` and `key` become claims. */
  readonly meta?: Readonly<Record<string, string>>
  /** The namespace of the wrapping token. Default: the namespace of the call. */
  readonly namespace?: NamespaceRecord | undefined
}

/** The properties of a wrapping token that can be read without unwrapping. */
interface WrapRecord {
  /** The lifetime of the wrapping token in seconds. */
  readonly creation_ttl: number
  readonly creation_time: string
  readonly creation_path: string
  /** The status of the answer, if it is not 200. */
  readonly status?: number
}

interface WrappingToken {
  readonly id: string
  readonly token: TokenRecord
}

const RESPONSE = 'response'

const INFO = 'wrapinfo'

/**
 * Stores an answer and creates the wrapping token that returns it once. The token has no parent, so it stays valid after the caller's token
 * ends.
 */
export function wrapAnswer(tx: Tx, wrapped: AnswerToWrap): WrapInfo {
  const { answer, status, ttl, path, wrappedAccessor, format, namespace: wanted, meta = null } = wrapped
  const { entropy } = tx.env
  // A JWT does not contain its namespace, so its token belongs to the root namespace.
  const namespace = format === 'jwt' ? ROOT_NAMESPACE : (wanted ?? tx.call.namespace)
  const text = newServiceToken(entropy, namespace)
  const record = { ...wrappingRecord(tx, namespace, ttl, path), meta }
  storeToken(tx, text, record)
  const created = rfc3339(tx.now)
  const info: WrapRecord = {
    creation_ttl: ttl,
    creation_time: created,
    creation_path: path,
    ...(status === 200 ? undefined : { status }),
  }
  tx.put(CUBBYHOLE, `${record.cubbyhole}/${RESPONSE}`, serializeJsonDocument(tx, { response: answer }, 'wrapped'))
  tx.put(CUBBYHOLE, `${record.cubbyhole}/${INFO}`, jsonText(info))
  const token = format === 'jwt' ? signJwt(tx, { jti: text, accessor: wrappedAccessor ?? '' }, record) : text
  const told = { token, accessor: record.accessor, ttl, creation_time: created, creation_path: path }
  return wrappedAccessor ? { ...told, wrapped_accessor: wrappedAccessor } : told
}

function wrappingRecord(tx: Tx, namespace: NamespaceRecord, ttl: number, path: string): TokenRecord {
  const { entropy } = tx.env
  const mount = TOPOLOGY.of(tx).mounts.at(namespace, 'auth/token/', 'token').record.uuid
  return {
    type: 'service',
    accessor: newAccessor(entropy, namespace),
    namespace: namespace.uuid,
    policies: [WRAPPING_POLICY],
    path,
    meta: null,
    display_name: '',
    num_uses: 1,
    created: tx.now,
    expires: expiryOf(tx.now, ttl),
    creation_ttl: ttl,
    last_ttl: ttl,
    renewed: null,
    renewable: false,
    explicit_max_ttl: ttl,
    period: 0,
    parent: '',
    role: '',
    entity: '',
    bound_cidrs: [],
    cubbyhole: newCubbyholeId(entropy),
    mount,
    state: 'live',
  }
}

/** The id of the token's record. A JWT is accepted too. Undefined if the string cannot be a token. */
export function wrappingTokenId(tx: Tx, text: string): string | undefined {
  const own = isJwt(text) ? openJwt(tx, text) : text
  return own === undefined || own.length > MAX_WRAPPING_TOKEN_CHARACTERS ? undefined : storedId(tx, own)
}

/** @throws KernelError 400. The error is the same for every string that is not a valid wrapping token. */
export function wrappingToken(tx: Tx, text: string): WrappingToken {
  const id = wrappingTokenId(tx, text)
  // A cutoff may have invalidated the token although its record still exists.
  const token = id === undefined ? undefined : ancestors(tx, id)?.[0]?.record
  if (id === undefined || !token || !isWrapping(token)) throw invalidWrappingToken()
  if (!TOPOLOGY.of(tx).namespaces.byUuid(token.namespace)) throw invalidWrappingToken()
  return { id, token }
}

const MAX_WRAPPING_TOKEN_CHARACTERS = 256

const invalidWrappingToken = () => notFound('token: wrapping token is not valid or does not exist', 400)

/** The answer that a wrapping token returns. */
export function wrappedAnswerOf(tx: Tx, { cubbyhole }: TokenRecord): string {
  const text = tx.get(CUBBYHOLE, `${cubbyhole}/${RESPONSE}`)
  if (text === undefined) throw invalidWrappingToken()
  return parseJsonDocument(tx, text, 'wrapped')['response'] as string
}

export function wrapRecordOf(tx: Tx, { cubbyhole }: TokenRecord): WrapRecord {
  const text = tx.get(CUBBYHOLE, `${cubbyhole}/${INFO}`)
  if (text === undefined) throw invalidWrappingToken()
  return JSON.parse(text) as WrapRecord
}
