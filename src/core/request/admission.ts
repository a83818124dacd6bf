/**
 * Who may do what: from a token and where it leads to a call that may run, in the order the originals check (source: behaviour of the
 * originals).
 */
import { type Authority, denied } from '../access/authority.ts'
import { isInNetworks } from '../access/cidr.ts'
import type { TokenUses } from '../access/token/uses.ts'
import type { RequestRecord } from '../audit/record-request.ts'
import { KernelError } from '../base/errors.ts'
import type { Caller, Capability, TokenCaller } from '../contract/caller.ts'
import { isWithin, type NamespaceRecord } from '../contract/namespace.ts'
import type { AnyOperation } from '../contract/operation.ts'
import type { Call, Tx } from '../contract/tx.ts'
import type { Mount } from '../mount/mount.ts'
import type { AclRequest, SentParameters } from '../policy/index.ts'
import { DENIED_BY_POLICY } from './envelope.ts'

/** What is asked, as far as it matters to who may. */
export interface Ask {
  readonly verb: string
  readonly namespace: NamespaceRecord
  /** Below the namespace, without a slash at its end. */
  readonly path: string
  readonly trailingSlash: boolean
  /** Absent where nothing is mounted: then, too, it is first asked who may. */
  readonly mount: Mount | undefined
  readonly operation: AnyOperation | undefined
  readonly captures: Readonly<Record<string, string>>
  /** Asked only where a rule restricts parameters. */
  readonly parameters: () => SentParameters
  /** Seconds; 0 is no wrapping. */
  readonly wrapTtl: number
  readonly remoteAddress: string | undefined
  /** Told what comes of it, where requests are audited. */
  readonly record: RequestRecord | undefined
}

export interface Admitted {
  readonly caller: Caller
  readonly sudo: boolean
  readonly recheck: ((tx: Tx) => void) | undefined
  /** To be awaited when the answer is made: a token that was used for the last time goes. */
  readonly after: (() => Promise<void>) | undefined
}

/** What is asked nobody: operations that need no token. */
export const openTo = (caller: Caller): Admitted => ({ caller, sudo: false, recheck: undefined, after: undefined })

export interface AdmissionParts {
  readonly authority: Authority
  readonly uses: TokenUses
  /** Reads the kernel's own records, without a promise where all are cached. */
  readonly look: <T>(body: (tx: Tx) => T) => T | Promise<T>
}

export class Admission {
  readonly #parts: AdmissionParts

  constructor(parts: AdmissionParts) {
    this.#parts = parts
  }

  /** @throws KernelError 403 for no token and for one that is not good, alike. */
  authenticate(text: string | undefined, remoteAddress: string | undefined): TokenCaller | Promise<TokenCaller> {
    if (!text) throw denied()
    const { authority, look } = this.#parts
    const found = authority.known(text) ?? look((tx) => authority.find(tx, text))
    return found instanceof Promise
      ? found.then((caller) => checkAddress(caller, remoteAddress))
      : checkAddress(found, remoteAddress)
  }

  /** @throws KernelError 403 when the caller may not; the use of a token counts all the same. */
  admit(ask: Ask, caller: TokenCaller): Admitted | Promise<Admitted> {
    const exists = ask.verb === 'POST' ? ask.operation?.exists : undefined
    if (!exists || !ask.mount) return this.#judge(ask, caller, OPERATIONS[ask.verb] ?? 'header')
    const call = callOf(ask, ask.mount, { caller, sudo: false, recheck: undefined })
    const found = ask.mount.executor.look((tx) => exists(tx, ask.captures), call)
    const judge = (there: boolean) => this.#judge(ask, caller, there ? 'update' : 'create')
    return found instanceof Promise ? found.then(judge) : judge(found)
  }

  #judge(ask: Ask, caller: TokenCaller, operation: Asked): Admitted | Promise<Admitted> {
    const { allowed, sudo } = decide(ask, caller, operation)
    const may = allowed && (sudo || ask.operation?.sudo !== true)
    if (ask.record) note(ask.record, ask, caller, operation, may)
    if (caller.token.num_uses !== 0) return this.#spend(ask, caller, operation, may ? { sudo } : undefined)
    if (!may) throw refused(ask, operation)
    return { caller, sudo, recheck: recheckOf(ask, caller, operation), after: undefined }
  }

  /** Every request counts, refused ones too; the last one takes the token with it. */
  async #spend(ask: Ask, caller: TokenCaller, operation: Asked, may: { readonly sudo: boolean } | undefined): Promise<Admitted> {
    const { uses } = this.#parts
    const { token, last } = await uses.spend(caller)
    // Refused it is already; should clearing it away fail, tick does that, and what was asked for is answered all the same.
    const after = last ? () => uses.revoke(caller).catch(() => {}) : undefined
    if (may) return { caller: { ...caller, token }, sudo: may.sudo, recheck: recheckOf(ask, caller, operation), after }
    await after?.()
    throw refused(ask, operation)
  }
}

type Asked = Capability | 'header' | 'help'

const OPERATIONS: Readonly<Record<string, Asked>> = {
  GET: 'read',
  LIST: 'list',
  POST: 'update',
  DELETE: 'delete',
  PATCH: 'patch',
  HELP: 'help',
}

function decide(ask: Ask, caller: TokenCaller, operation: Asked): { readonly allowed: boolean; readonly sudo: boolean } {
  return isWithin(ask.namespace, caller.namespace) ? caller.acl.decide(new Question(ask, operation)) : NOTHING
}

function note(record: RequestRecord, ask: Ask, caller: TokenCaller, operation: Asked, allowed: boolean): void {
  record.operation = operation
  record.judgement = { allowed, granting: allowed ? caller.acl.speaking(new Question(ask, operation)) : [] }
}

/** Parameters are read only where a rule speaks of them. */
class Question implements AclRequest {
  readonly operation: Asked
  readonly path: string
  readonly wrapTtl: number
  readonly #ask: Ask

  constructor(ask: Ask, operation: Asked) {
    this.operation = operation
    this.path = ask.namespace.path + ask.path + (ask.trailingSlash || operation === 'list' ? '/' : '')
    this.wrapTtl = ask.wrapTtl
    this.#ask = ask
  }

  get parameters(): AclRequest['parameters'] {
    return this.#ask.parameters()
  }
}

const NOTHING = Object.freeze({ allowed: false, sudo: false })

/** Where it matters whether something is there already, that may have changed by the time the transaction runs. */
function recheckOf(ask: Ask, caller: TokenCaller, judged: Asked): ((tx: Tx) => void) | undefined {
  const exists = ask.verb === 'POST' ? ask.operation?.exists : undefined
  if (!exists) return undefined
  return (tx) => {
    const now = exists(tx, ask.captures) ? 'update' : 'create'
    if (now !== judged && !decide(ask, caller, now).allowed) throw refused(ask, now)
  }
}

/** The call of somebody who was admitted. */
export function callOf(
  ask: Pick<Ask, 'namespace' | 'path' | 'remoteAddress'>,
  mount: Mount,
  { caller, sudo, recheck }: Omit<Admitted, 'after'>,
): Call {
  const { namespace, path, remoteAddress } = ask
  return { caller, mount: mount.record, namespace, path, remoteAddress, sudo, recheck }
}

function checkAddress(caller: TokenCaller, address: string | undefined): TokenCaller {
  const { bound_cidrs } = caller.token
  if (bound_cidrs.length > 0 && !isInNetworks(address, bound_cidrs)) throw denied()
  return caller
}

/** Says more than goes over the wire: there, nobody learns anything from it. */
function refused({ namespace, path }: Ask, operation: Asked): KernelError {
  const what = `${operation} of ${(namespace.path + path).slice(0, 200)}`
  const details = { by: DENIED_BY_POLICY }
  return new KernelError('ERR_PERMISSION_DENIED', `permission denied: the token's policies do not allow ${what}`, { details })
}
