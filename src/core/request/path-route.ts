/** Processes a decoded call by path: resolves the path, authorizes the caller and runs the operation. */
import type { Clock } from '../base/clock.ts'
import { CodeNotLoadedError } from '../base/deferred-code.ts'
import type { Entropy } from '../base/entropy.ts'
import { invalid, KernelError } from '../base/errors.ts'
import { recover, settle, whenAvailable } from '../base/maybe-promise.ts'
import type { Caller, TokenCaller } from '../contract/caller.ts'
import type { Engine } from '../contract/engine.ts'
import type { AnyOperation } from '../contract/operation.ts'
import type { KernelResponse } from '../contract/request.ts'
import type { Call } from '../contract/tx.ts'
import type { Gate } from '../exchange/gate.ts'
import { readHeader } from '../exchange/headers.ts'
import { coerceAll } from '../field/parse.ts'
import { byCanonicalNames, errorBySentNames } from '../field/wire-names.ts'
import type { Topology } from '../mount/topology.ts'
import { HELP } from '../transaction/help-verb.ts'
import { type Admission, type AdmittedCaller, type AuthorizationRequest, admitUnchecked, callOf } from './admission.ts'
import { orAnonymous } from './or-anonymous.ts'
import type { PathResolver, ResolvedPath } from './path-resolver.ts'
import { PathRunner } from './path-run.ts'
import { authorizationRequestOf, type ReceivedRequest } from './received-request.ts'
import type { ResponseWrapper } from './response-wrapping.ts'
import { checkRootOnly } from './root-only.ts'
import { subjectNamespace } from './subject-namespace.ts'

export interface PathRouteParts {
  readonly gate: Gate
  readonly clock: Clock
  readonly entropy: Entropy
  readonly headerPrefix: string
  readonly vaultNames: boolean
  readonly topology: Topology
  readonly paths: PathResolver
  /** The engine that serves `sys/`. */
  readonly system: Engine
  readonly admission: Admission
  readonly wrapper: ResponseWrapper
}

export class PathRoute {
  readonly #parts: PathRouteParts
  readonly #runner: PathRunner
  readonly #wrapFormat: string

  constructor(parts: PathRouteParts) {
    this.#parts = parts
    this.#runner = new PathRunner(parts.clock, parts.entropy, parts.vaultNames)
    this.#wrapFormat = `${parts.headerPrefix}-Wrap-Format`
  }

  /**
   * Loads the code that the request needs. Returns undefined if it is loaded. An invalid path needs none; {@link lead} refuses it later.
   * @throws KernelError 503 if the code cannot be loaded
   */
  load({ sent: { verb, path }, namespace }: ReceivedRequest): Promise<void> | undefined {
    const { system, paths } = this.#parts
    if (!system.load) return undefined
    if (verb === HELP) {
      const loading = system.load()
      if (loading) return loading
    }
    try {
      const { mount, path: resolved } = paths.find(verb, path, namespace)
      return mount?.engine.load?.(verb === HELP ? undefined : resolved.slice(mount.record.path.length))
    } catch (thrown) {
      return thrown instanceof CodeNotLoadedError ? thrown.code.load() : undefined
    }
  }

  /** Resolves the path and adds the result to the audit record. */
  lead({ sent, namespace, record }: ReceivedRequest): ResolvedPath {
    const target = this.#parts.paths.find(sent.verb, sent.path, namespace)
    record?.setDestination(target)
    return target
  }

  route(read: ReceivedRequest): KernelResponse | Promise<KernelResponse> {
    const target = this.lead(read)
    const { operation } = target.route
    this.#parts.gate.check(operation?.onDrSecondary, operation?.whileJoining)
    if (!operation) return this.#serve(read, target)
    const data = byCanonicalNames(operation.fields, read.data)
    if (data === read.data) return this.#serve(read, target)
    const serve = () => this.#serve({ ...read, data }, target)
    return recover(serve, (refusal) => refuse(errorBySentNames(operation.fields, read.data, refusal)))
  }

  #serve(asked: ReceivedRequest, target: ResolvedPath): KernelResponse | Promise<KernelResponse> {
    const { sent, token, record } = asked
    const { verb } = sent
    const { operation, unauthenticated } = target.route
    checkRootOnly(operation, target.namespace)
    if (target.trailingSlash && (verb === 'POST' || verb === 'PATCH')) throw invalid("cannot write to a path ending in '/'")
    if (unauthenticated && !(operation?.readsToken && token))
      return this.#run(asked, target, authorizationRequestOf(asked, target), admitUnchecked({ kind: 'anonymous', text: token }))
    if (!operation?.validatesFirst) return this.#identify(asked, target)
    if (record) record.onlyRequest = true
    const throttled = settle(() => this.#validateFirst(operation, asked, target), nothing, throttleOf)
    return whenAvailable(throttled, (refusal) => this.#identify(asked, target, refusal))
  }

  #validateFirst(
    { fields, validatesFirst }: AnyOperation,
    { sent: { remoteAddress }, data, token }: ReceivedRequest,
    { mount, namespace, path }: ResolvedPath,
  ): void | Promise<void> {
    if (!mount) return
    const input = coerceAll(fields, data) as Readonly<Record<string, string>>
    const call = callOf({ namespace, path, remoteAddress }, mount, admitUnchecked({ kind: 'anonymous', text: token }))
    return mount.executor.read((tx) => validatesFirst?.(tx, input), call)
  }

  /** @param throttled If too many invalid values were sent recently: the error with which a caller without a valid token is refused. */
  #identify(asked: ReceivedRequest, target: ResolvedPath, throttled?: KernelError): KernelResponse | Promise<KernelResponse> {
    const { sent, token, record, held } = asked
    const { operation, unauthenticated } = target.route
    if (record) record.onlyRequest = false
    const find = () => this.#callerOf(operation, token, sent.remoteAddress)
    const caller = throttled ? recover(find, () => refuse(throttled)) : find()
    const go = (found: Caller) => {
      if (record) record.caller = found
      held.setAuthorized()
      if (unauthenticated) return this.#run(asked, target, authorizationRequestOf(asked, target), admitUnchecked(found))
      const followed = this.#follow(operation, asked, target, found)
      const ask = authorizationRequestOf(asked, followed)
      const admitted = this.#parts.admission.admit(ask, found as TokenCaller)
      return admitted instanceof Promise
        ? admitted.then((answer) => this.#run(asked, followed, ask, answer))
        : this.#run(asked, followed, ask, admitted)
    }
    return caller instanceof Promise ? caller.then(go) : go(caller)
  }

  #callerOf(
    operation: AnyOperation | undefined,
    token: string | undefined,
    remoteAddress: string | undefined,
  ): Caller | Promise<Caller> {
    const authenticate = () => this.#parts.admission.authenticate(token, remoteAddress)
    return operation?.readsToken === 'if valid' ? orAnonymous(authenticate, token ?? '') : authenticate()
  }

  /** If the operation acts on a token or lease, resolves the path in the namespace of that token or lease. */
  #follow(
    operation: AnyOperation | undefined,
    { sent, data }: ReceivedRequest,
    target: ResolvedPath,
    caller: Caller,
  ): ResolvedPath {
    const { topology, paths: targets } = this.#parts
    if (!operation?.runsInNamespaceOf) return target
    const home = subjectNamespace(operation, data, target.route.captures, caller, topology.namespaces) ?? target.namespace
    return home === target.namespace ? target : targets.in(home, sent.verb, target)
  }

  #run(
    asked: ReceivedRequest,
    target: ResolvedPath,
    ask: AuthorizationRequest,
    admitted: AdmittedCaller,
  ): KernelResponse | Promise<KernelResponse> {
    const { after } = admitted
    if (!after) return this.#perform(asked, target, ask, admitted)
    const perform = async () => this.#perform(asked, target, ask, admitted)
    // If this request sealed the kernel, the token cannot be revoked now. A tick revokes it after the kernel was unsealed.
    return perform().finally(() => (this.#parts.gate.state === 'open' ? after() : undefined))
  }

  #perform(
    asked: ReceivedRequest,
    target: ResolvedPath,
    ask: AuthorizationRequest,
    admitted: AdmittedCaller,
  ): KernelResponse | Promise<KernelResponse> {
    const { record } = asked
    if (!record) return this.#do(asked, target, ask, admitted)
    record.setDestination(target)
    return whenAvailable(record.ask(), () => this.#do(asked, target, ask, admitted))
  }

  #do(
    asked: ReceivedRequest,
    { mount, route }: ResolvedPath,
    ask: AuthorizationRequest,
    admitted: AdmittedCaller,
  ): KernelResponse | Promise<KernelResponse> {
    const { sent, data, wrapTtl, record } = asked
    const id = record?.request.id
    if (!route.operation || !mount) throw route.refusal
    const { operation, captures } = route
    const plain: Call = { ...callOf(ask, mount, admitted, ask), byPath: true }
    if (wrapTtl === 0) return this.#runner.run({ mount, operation, captures, data, call: plain, id })
    const format = readHeader(sent.headers, this.#wrapFormat) === 'jwt' ? 'jwt' : 'token'
    const call = { ...plain, wrap: { ttl: wrapTtl, format } as const }
    this.#parts.wrapper.check(call)
    const answer = async () => this.#runner.run({ mount, operation, captures, data, call, id })
    // Policies do not apply to help, because help is the same for every caller.
    const asking = { list: sent.verb === 'LIST', isAuthorized: !route.unauthenticated && sent.verb !== HELP }
    return answer().then((made) => this.#parts.wrapper.wrap(made, call, asking))
  }
}

const nothing = (): undefined => undefined

function refuse(refusal: unknown): never {
  throw refusal
}

/** Returns the error if its status is 429. @throws any other error unchanged. */
function throttleOf(refusal: unknown): KernelError {
  if (refusal instanceof KernelError && refusal.code === 'ERR_TOO_MANY_REQUESTS') return refusal
  throw refusal
}
