/** Finds the mount and the caller for typed calls, and authorizes them. */
import type { RecordedHeader } from '../audit/audit-basis.ts'
import type { AuditLog } from '../audit/audit-log.ts'
import type { RequestRecord } from '../audit/record-request.ts'
import type { Trail } from '../audit/trail.ts'
import type { Entropy } from '../base/entropy.ts'
import { KernelError } from '../base/errors.ts'
import { uuid } from '../base/identifiers.ts'
import { whenAvailable } from '../base/maybe-promise.ts'
import { APP, type Caller, type TokenCaller } from '../contract/caller.ts'
import type { NamespaceRecord } from '../contract/namespace.ts'
import { type AnyOperation, OPERATION_KINDS } from '../contract/operation.ts'
import type { Call } from '../contract/tx.ts'
import { ownBytes, type Values } from '../field/parse.ts'
import { PathPattern } from '../field/path-pattern.ts'
import type { Mount } from '../mount/mount.ts'
import type { Topology } from '../mount/topology.ts'
import { type Admission, type AdmittedCaller, admitUnchecked, callOf } from './admission.ts'
import { orAnonymous } from './or-anonymous.ts'
import { checkRootOnly } from './root-only.ts'
import { subjectNamespace } from './subject-namespace.ts'
import { pathTo, type TypedForm, typedAuthorizationRequest } from './typed-authorization.ts'

/** The mount that an operation runs on, and the call that it runs with. */
export interface CallTarget {
  readonly mount: Mount
  readonly call: Call
}

/**
 * @param isFresh Whether the caches have already been found to be fresh in this turn of the event loop.
 * @param input The input that was given to {@link TypedAccess.enter}. If the call had to wait, its byte arrays are copies.
 */
export type RunCall<T> = (target: CallTarget, isFresh: boolean, input: Values) => T | Promise<T>

/** Authorizes typed calls to the mount at a path. Every call looks up the mount, because the mount may have been disabled or replaced. */
export interface TypedAccess {
  /** The path of the mount as the application gave it, with a slash at the end. */
  readonly path: string
  /** Whether a policy or the audit log reads the parameters of calls. */
  readonly inspectsParameters: boolean
  /**
   * Authorizes a call and runs it. The call uses the input as it is when this method is called: if the call has to wait, byte arrays are
   * copied, because the caller may change them after the method has returned.
   * @param remoteAddress For trusted calls: the address of the client on whose behalf the application makes the call. A view with a token
   * already has an address.
   */
  enter<T>(form: TypedForm<T>, input: Values, run: RunCall<T>, remoteAddress?: string): T | Promise<T>
}

export interface AccessParts {
  readonly topology: Topology
  readonly admission: Admission
  readonly audit: AuditLog
  readonly entropy: Entropy
  /** The path of the namespace with a slash at the end. Empty for the root namespace. */
  readonly namespace: string
  readonly path: string
  readonly type: string
}

/** The token to which a view made by `kernel.as(token)` is restricted, and the address of the token's client. */
export interface Bearer {
  readonly token: string
  readonly remoteAddress: string | undefined
  /** The id of all requests in the audit log; undefined for a random id per request. */
  readonly requestId?: string | undefined
}

/**
 * Returns the mount and the call for a trusted call. @param home The namespace that the operation runs in, if that is not the namespace of
 * the facade.
 */
export function callTargetOf(parts: AccessParts, home: NamespaceRecord | undefined): CallTarget {
  const { namespace, mount } = find(parts, home)
  return { mount, call: { caller: APP, mount: mount.record, namespace, path: '', sudo: true, recheck: undefined } }
}

/** Returns the access for trusted calls. It checks no policy. */
export function appAccess(parts: AccessParts): TypedAccess {
  const { topology, audit } = parts
  let known: { readonly target: CallTarget; readonly in: object } | undefined
  const targetOf = (operation: AnyOperation, input: Values): CallTarget => {
    const home = operation.runsInNamespaceOf && subjectNamespace(operation, input, {}, APP, topology.namespaces)
    if (home) return callTargetOf(parts, home)
    if (known?.in !== topology.current) known = { target: callTargetOf(parts, undefined), in: topology.current }
    return known.target
  }
  const at = (operation: AnyOperation, input: Values, remoteAddress: string | undefined): CallTarget => {
    const found = targetOf(operation, input)
    checkRootOnly(operation, found.call.namespace)
    return OPERATION_KINDS[operation.kind].seesRequest ? withPath(found, operation, input, remoteAddress) : found
  }
  const recorded = <T>(trail: Trail, form: TypedForm<T>, input: Values, run: RunCall<T>, remoteAddress: string | undefined) => {
    const captures: Record<string, string> = {}
    const below = PathPattern.of(form.operation.path).fill(input, captures)
    const record = recordOf(parts, trail, form, input, { below, captures }, { token: undefined, remoteAddress })
    record.caller = APP
    return record.around(
      () => {
        const found = at(form.operation, input, remoteAddress)
        const { mount, call } = found
        record.setDestination({ namespace: call.namespace, path: pathTo(mount, below), trailingSlash: false, mount })
        return whenAvailable(record.ask(), () => run(found, false, input))
      },
      (value) => form.answer(value, input),
    )
  }
  return {
    path: parts.path,
    get inspectsParameters() {
      return audit.trail !== undefined
    },
    enter(form, input, run, remoteAddress) {
      const stale = topology.fresh() ?? audit.fresh()
      if (!stale && !audit.trail) return run(at(form.operation, input, remoteAddress), true, input)
      const own = ownBytes(input)
      const begin = () =>
        audit.trail
          ? recorded(audit.trail, form, own, run, remoteAddress)
          : run(at(form.operation, own, remoteAddress), false, own)
      return stale ? whenFresh(parts, stale, begin) : begin()
    },
  }
}

const whenFresh = <T>({ topology, audit }: AccessParts, stale: Promise<void>, begin: () => T | Promise<T>): Promise<T> =>
  stale
    .then(() => topology.fresh())
    .then(() => audit.fresh())
    .then(begin)

/** Creates the audit record of a call. */
function recordOf<T>(
  { audit, entropy, path }: AccessParts,
  trail: Trail,
  { operation, sent }: TypedForm<T>,
  input: Values,
  { below, captures }: { readonly below: string; readonly captures: Readonly<Record<string, string>> },
  from: {
    readonly token: string | undefined
    readonly remoteAddress: string | undefined
    readonly requestId?: string | undefined
  },
): RequestRecord {
  const request = {
    id: from.requestId ?? uuid(entropy.bytes(16)),
    verb: operation.verb,
    token: from.token,
    data: sent(input, captures),
    headers: NO_HEADERS,
    remoteAddress: from.remoteAddress,
    wrapTtl: 0,
  }
  return audit.begin(trail, request, path + below)
}

const NO_HEADERS: ReadonlyMap<string, RecordedHeader> = new Map()

/** Adds the path to the call, because results of writes can contain it. For example, a lease id begins with the path. */
function withPath(
  { mount, call }: CallTarget,
  operation: AnyOperation,
  input: Values,
  remoteAddress: string | undefined,
): CallTarget {
  return { mount, call: { ...call, path: pathTo(mount, PathPattern.of(operation.path).fill(input, {})), remoteAddress } }
}

/** Returns the access for calls with a token. The policies decide as for the equivalent call by path. */
export function tokenAccess(parts: AccessParts, bearer: Bearer): TypedAccess {
  const { token, remoteAddress } = bearer
  const { admission, topology, audit } = parts
  const enter = <T>(form: TypedForm<T>, input: Values, run: RunCall<T>, record: RequestRecord | undefined): T | Promise<T> => {
    const { operation } = form
    const { unauthenticated, readsToken } = operation
    const lead = (caller: Caller, input: Values) => {
      const { namespace, mount } = find(parts, subjectNamespace(operation, input, {}, caller, topology.namespaces))
      checkRootOnly(operation, namespace)
      const request = typedAuthorizationRequest(form, input, namespace, mount, remoteAddress, record)
      if (record) record.caller = caller
      record?.setDestination(request)
      const go = (admitted: AdmittedCaller, given = input): T | Promise<T> => {
        const does = () => run({ mount, call: callOf(request, mount, admitted) }, false, given)
        const work = () => (record ? whenAvailable(record.ask(), does) : does())
        if (!admitted.after) return work()
        return (async () => work())().finally(admitted.after)
      }
      return { request, go }
    }
    const open = (caller: Caller, input: Values): T | Promise<T> => lead(caller, input).go(admitUnchecked(caller))
    if (unauthenticated && !readsToken) return open({ kind: 'anonymous', text: token }, input)
    const authorize = (caller: TokenCaller, input: Values): T | Promise<T> => {
      if (unauthenticated) return open(caller, input)
      const { request, go } = lead(caller, input)
      const admitted = admission.admit(request, caller)
      if (!(admitted instanceof Promise)) return go(admitted)
      const own = ownBytes(input)
      return admitted.then((later) => go(later, own))
    }
    if (readsToken === 'if valid') {
      const given = orAnonymous(() => admission.authenticate(token, remoteAddress), token)
      return given instanceof Promise ? given.then((caller) => open(caller, input)) : open(given, input)
    }
    const found = admission.authenticate(token, remoteAddress)
    if (!(found instanceof Promise)) return authorize(found, input)
    const own = ownBytes(input)
    return found.then((caller) => authorize(caller, own))
  }
  const recorded = <T>(trail: Trail, form: TypedForm<T>, input: Values, run: RunCall<T>) => {
    const captures: Record<string, string> = {}
    const below = PathPattern.of(form.operation.path).fill(input, captures)
    const record = recordOf(parts, trail, form, input, { below, captures }, bearer)
    return record.around(
      () => enter(form, input, run, record),
      (value) => form.answer(value, input),
    )
  }
  return {
    path: parts.path,
    inspectsParameters: true,
    enter(form, input, run) {
      const stale = topology.fresh() ?? audit.fresh()
      if (!stale && !audit.trail) return enter(form, input, run, undefined)
      const own = ownBytes(input)
      const begin = () => (audit.trail ? recorded(audit.trail, form, own, run) : enter(form, own, run, undefined))
      return stale ? whenFresh(parts, stale, begin) : begin()
    },
  }
}

/**
 * Finds the mount at the path of the facade. @param home The namespace that the operation runs in, if that is not the namespace of the
 * facade.
 */
function find(
  { topology, namespace: path, path: at, type }: AccessParts,
  home: NamespaceRecord | undefined,
): { namespace: NamespaceRecord; mount: Mount } {
  const namespace = home ?? topology.namespaces.byPath(path)
  if (!namespace) throw new KernelError('ERR_UNSUPPORTED_PATH', `there is no namespace ${path}`)
  topology.checkServed(namespace)
  return { namespace, mount: topology.mounts.at(namespace, at, type) }
}
