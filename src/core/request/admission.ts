/** Access control: authenticates the token of a request and authorizes the request, in Vault's order. */

import { isInNetworks } from '../access/cidr.ts'
import type { TokenUses } from '../access/token/uses.ts'
import { deniedError, type TokenAuthenticator } from '../access/token-authenticator.ts'
import type { RequestRecord } from '../audit/record-request.ts'
import { KernelError } from '../base/errors.ts'
import { whenAvailable } from '../base/maybe-promise.ts'
import type { Caller, Capability, TokenCaller } from '../contract/caller.ts'
import { isWithin } from '../contract/namespace.ts'
import type { AnyOperation } from '../contract/operation.ts'
import { PathSpelling } from '../contract/path-spelling.ts'
import type { Call, Tx } from '../contract/tx.ts'
import type { Mount } from '../mount/mount.ts'
import type { AclRequest, OtherPath, SentParameters } from '../policy/index.ts'
import { authorizedPath, type OperationPath } from './authorized-path.ts'
import { DENIED_BY_POLICY } from './denied-by-policy.ts'

/** The inputs of an authorization decision. */
export interface AuthorizationRequest extends OperationPath {
  readonly verb: string
  /** Returns the request's parameters. Called only if a rule restricts parameters. */
  readonly parameters: () => SentParameters
  /** The requested wrapping TTL in seconds; 0 means no wrapping. */
  readonly wrapTtl: number
  readonly remoteAddress: string | undefined
  /** The audit record, to which the decision is added. Undefined if requests are not audited. */
  readonly record: RequestRecord | undefined
}

export interface AdmittedCaller {
  readonly caller: Caller
  readonly sudo: boolean
  readonly recheck: ((tx: Tx) => void) | undefined
  /**
   * Present if this was the last request that the token allows. Call this function after the response was created, and await it: it revokes
   * the token.
   */
  readonly after: (() => Promise<void>) | undefined
}

/** Admits a caller without checks. For operations that need no token. */
export const admitUnchecked = (caller: Caller): AdmittedCaller => ({ caller, sudo: false, recheck: undefined, after: undefined })

export interface AdmissionParts {
  readonly authority: TokenAuthenticator
  readonly uses: TokenUses
  /** Reads the kernel's own records. Returns the result without a promise if all records are cached. */
  readonly look: <T>(body: (tx: Tx) => T) => T | Promise<T>
}

export class Admission {
  readonly #parts: AdmissionParts

  constructor(parts: AdmissionParts) {
    this.#parts = parts
  }

  /** @throws KernelError 403. The error is the same for a missing token and for an invalid token. */
  authenticate(text: string | undefined, remoteAddress: string | undefined): TokenCaller | Promise<TokenCaller> {
    if (!text) throw deniedError()
    const { authority, look } = this.#parts
    const found = authority.cachedCaller(text) ?? look((tx) => authority.find(tx, text))
    return found instanceof Promise
      ? found.then((caller) => checkAddress(caller, remoteAddress))
      : checkAddress(found, remoteAddress)
  }

  /** @throws KernelError 403 if the caller lacks permission. Even then the request counts as a use of the token. */
  admit(request: AuthorizationRequest, caller: TokenCaller): AdmittedCaller | Promise<AdmittedCaller> {
    const exists = existenceCheckOf(request)
    if (!exists || !request.mount) return this.#authorize(request, caller, OPERATIONS[request.verb] ?? 'header')
    const call = callOf(request, request.mount, { caller, sudo: false, recheck: undefined })
    const found = request.mount.executor.read((tx) => exists(tx, request.captures), call)
    const authorize = (there: boolean) => this.#authorize(request, caller, there ? 'update' : 'create')
    return found instanceof Promise ? found.then(authorize) : authorize(found)
  }

  #authorize(
    request: AuthorizationRequest,
    caller: TokenCaller,
    operation: RequestedOperation,
  ): AdmittedCaller | Promise<AdmittedCaller> {
    const query = new AclQuery(request, operation)
    const { acl } = caller
    if (!query.hasSpellings || acl.isPrepared(query)) return this.#decide(request, caller, query)
    const prepared = this.#parts.look((tx) => tx.steps('folded rules', () => acl.prepare(query)))
    return whenAvailable(prepared, () => this.#decide(request, caller, query))
  }

  #decide(request: AuthorizationRequest, caller: TokenCaller, query: AclQuery): AdmittedCaller | Promise<AdmittedCaller> {
    const { operation } = query
    const { allowed, sudo } = decide(request, caller, query)
    const may = allowed && (sudo || request.operation?.sudo !== true)
    if (request.record) recordDecision(request.record, caller, query, may)
    if (caller.token.num_uses !== 0) return this.#spend(request, caller, operation, may ? { sudo } : undefined)
    if (!may) throw refused(request, caller, operation)
    return { caller, sudo, recheck: recheckOf(request, caller, operation), after: undefined }
  }

  /** Every request counts as a use of the token, even a refused request. The last use revokes the token. */
  async #spend(
    request: AuthorizationRequest,
    caller: TokenCaller,
    operation: RequestedOperation,
    may: { readonly sudo: boolean } | undefined,
  ): Promise<AdmittedCaller> {
    const { uses } = this.#parts
    const { token, last } = await uses.spend(caller)
    // The token is already invalid. If revoking it fails, a tick revokes it later, so ignore the error and answer the request.
    const after = last ? () => uses.revoke(caller).catch(() => {}) : undefined
    if (may) return { caller: { ...caller, token }, sudo: may.sudo, recheck: recheckOf(request, caller, operation), after }
    await after?.()
    throw refused(request, caller, operation)
  }
}

type RequestedOperation = Capability | 'header' | 'help'

const OPERATIONS: Readonly<Record<string, RequestedOperation>> = {
  GET: 'read',
  LIST: 'list',
  POST: 'update',
  DELETE: 'delete',
  PATCH: 'patch',
  HELP: 'help',
}

function decide(
  request: AuthorizationRequest,
  caller: TokenCaller,
  query: AclQuery,
): { readonly allowed: boolean; readonly sudo: boolean } {
  return isWithin(request.namespace, caller.namespace) ? caller.acl.decide(query) : NOTHING
}

function recordDecision(record: RequestRecord, caller: TokenCaller, query: AclQuery, allowed: boolean): void {
  record.operation = query.operation
  record.policyResults = { allowed, granting: allowed ? caller.acl.speaking(query) : [] }
}

/** An ACL request that gets the parameters only when the ACL asks for them. */
class AclQuery implements AclRequest {
  readonly operation: RequestedOperation
  /** Whether the client may have sent a non-canonical form of the path. */
  readonly hasSpellings: boolean
  readonly path: string
  readonly foldedAfter: number | undefined
  readonly others: readonly OtherPath[] | undefined
  readonly wrapTtl: number
  readonly #request: AuthorizationRequest

  constructor(request: AuthorizationRequest, operation: RequestedOperation) {
    this.operation = operation
    this.hasSpellings =
      request.trailingSlash || (request.operation !== undefined && PathSpelling.of(request.operation) !== undefined)
    if (this.hasSpellings) {
      const { path, foldedAfter, others } = authorizedPath(request, operation === 'list')
      this.path = path
      this.foldedAfter = foldedAfter
      this.others = others
    } else {
      const path = request.namespace.path + request.path
      this.path = operation === 'list' && !path.endsWith('/') ? `${path}/` : path
      this.foldedAfter = undefined
      this.others = undefined
    }
    this.wrapTtl = request.wrapTtl
    this.#request = request
  }

  get parameters(): AclRequest['parameters'] {
    return this.#request.parameters()
  }
}

const NOTHING = Object.freeze({ allowed: false, sudo: false })

/** The function that decides whether the request needs the capability `update` or `create`. */
const existenceCheckOf = ({ verb, operation }: AuthorizationRequest): AnyOperation['exists'] =>
  verb === 'POST' ? operation?.exists : undefined

/** If the decision depended on whether a record exists, returns a function that decides again inside the transaction. */
function recheckOf(
  request: AuthorizationRequest,
  caller: TokenCaller,
  authorizedFor: RequestedOperation,
): ((tx: Tx) => void) | undefined {
  const exists = existenceCheckOf(request)
  if (!exists) return undefined
  return (tx) => {
    const now = exists(tx, request.captures) ? 'update' : 'create'
    if (now !== authorizedFor && !decide(request, caller, new AclQuery(request, now)).allowed) throw refused(request, caller, now)
  }
}

/** Returns the `Call` with which an operation runs for an admitted caller. */
export function callOf(
  request: AuthorizationRequest,
  mount: Mount,
  { caller, sudo, recheck }: Omit<AdmittedCaller, 'after'>,
): Call {
  const { namespace, path, remoteAddress } = request
  return { caller, mount: mount.record, namespace, path, remoteAddress, sudo, recheck, policyRequest: request }
}

function checkAddress(caller: TokenCaller, address: string | undefined): TokenCaller {
  const { bound_cidrs } = caller.token
  if (bound_cidrs.length > 0 && !isInNetworks(address, bound_cidrs)) throw deniedError()
  return caller
}

/** The message contains details for typed calls. For calls by path, it is replaced by a fixed text. */
function refused({ namespace, path }: AuthorizationRequest, { acl }: TokenCaller, operation: RequestedOperation): KernelError {
  if (acl.refusal !== undefined) return new KernelError('ERR_PERMISSION_DENIED', `permission denied: ${acl.refusal}`)
  const what = `${operation} on ${(namespace.path + path).slice(0, 200)}`
  const details = { by: DENIED_BY_POLICY }
  return new KernelError('ERR_PERMISSION_DENIED', `permission denied: the token's policies do not allow ${what}`, { details })
}
