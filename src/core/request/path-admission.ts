/** Admits the caller of a call by path, in Vault's order. */
import { invalid, KernelError } from '../base/errors.ts'
import { type MaybePromise, recover, settle, whenAvailable } from '../base/maybe-promise.ts'
import type { Caller, TokenCaller } from '../contract/caller.ts'
import type { AnyOperation } from '../contract/operation.ts'
import { coerceAll } from '../field/parse.ts'
import type { Topology } from '../mount/topology.ts'
import { type Admission, admitUnchecked, callOf } from './admission.ts'
import { orAnonymous } from './or-anonymous.ts'
import { type AdmittedRequest, type ResolvedRequest, toAdmitted, toResolved } from './path-request.ts'
import type { PathResolver } from './path-resolver.ts'
import { checkRootOnly } from './root-only.ts'
import { subjectNamespace } from './subject-namespace.ts'

export class PathAdmission {
  readonly #admission: Admission
  readonly #paths: PathResolver
  readonly #topology: Topology

  constructor(admission: Admission, paths: PathResolver, topology: Topology) {
    this.#admission = admission
    this.#paths = paths
    this.#topology = topology
  }

  admit(request: ResolvedRequest): MaybePromise<AdmittedRequest> {
    const { verb, operation, record } = request
    checkRootOnly(operation, request.namespace)
    if (request.trailingSlash && (verb === 'POST' || verb === 'PATCH')) throw invalid("cannot write to a path ending in '/'")
    if (request.unauthenticated && !(operation?.readsToken && request.token)) return toAdmitted(request, anonymous(request))
    if (!operation?.validatesFirst) return this.#identify(request)
    if (record) record.onlyRequest = true
    const throttled = settle(() => validateFirst(request, operation), nothing, throttleOf)
    return whenAvailable(throttled, (refusal) => this.#identify(request, refusal))
  }

  /** @param throttled If too many invalid values were sent recently: the error with which a caller without a valid token is refused. */
  #identify(request: ResolvedRequest, throttled?: KernelError): MaybePromise<AdmittedRequest> {
    if (request.record) request.record.onlyRequest = false
    const caller = throttled ? recover(() => this.#authenticate(request), refuseWith(throttled)) : this.#authenticate(request)
    return whenAvailable(caller, (found) => this.#authorize(request, found))
  }

  #authenticate({ operation, token, remoteAddress }: ResolvedRequest): MaybePromise<Caller> {
    if (operation?.readsToken !== 'if valid') return this.#admission.authenticate(token, remoteAddress)
    return orAnonymous(() => this.#admission.authenticate(token, remoteAddress), token ?? '')
  }

  #authorize(request: ResolvedRequest, caller: Caller): MaybePromise<AdmittedRequest> {
    if (request.record) request.record.caller = caller
    request.bodyAccount.setAuthorized()
    if (request.unauthenticated) return toAdmitted(request, admitUnchecked(caller))
    const subject = this.#inSubjectNamespace(request, caller)
    const admitted = this.#admission.admit(subject, caller as TokenCaller)
    return whenAvailable(admitted, (found) => toAdmitted(subject, found))
  }

  /** If the operation acts on a token or lease, resolves the path in the namespace of that token or lease. */
  #inSubjectNamespace(request: ResolvedRequest, caller: Caller): ResolvedRequest {
    const { verb, namespace, operation, captures, data } = request
    if (!operation?.runsInNamespaceOf) return request
    const home = subjectNamespace(operation, data, captures, caller, this.#topology.namespaces) ?? namespace
    return home === namespace ? request : toResolved(request, this.#paths.in(home, verb, request), data)
  }
}

const anonymous = ({ token }: ResolvedRequest) => admitUnchecked({ kind: 'anonymous', text: token })

/** Validates the parameters that are validated before the token. @throws KernelError if they are invalid */
function validateFirst(request: ResolvedRequest, { fields, validatesFirst }: AnyOperation): MaybePromise<void> {
  const { mount, data } = request
  if (!mount) return
  const input = coerceAll(fields, data) as Readonly<Record<string, string>>
  return mount.executor.read((tx) => validatesFirst?.(tx, input), callOf(request, mount, anonymous(request)))
}

const nothing = (): undefined => undefined

const refuseWith = (refusal: KernelError) => (): never => {
  throw refusal
}

/** Returns the error if its status is 429. @throws any other error unchanged. */
function throttleOf(refusal: unknown): KernelError {
  if (refusal instanceof KernelError && refusal.code === 'ERR_TOO_MANY_REQUESTS') return refusal
  throw refusal
}
