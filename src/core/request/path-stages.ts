/** Takes calls by path from stage to stage. */
import type { AuditLog } from '../audit/audit-log.ts'
import type { Clock } from '../base/clock.ts'
import type { Entropy } from '../base/entropy.ts'
import { KernelError } from '../base/errors.ts'
import { type MaybePromise, settle, whenAvailable } from '../base/maybe-promise.ts'
import type { KernelRequest, KernelResponse } from '../contract/request.ts'
import type { Call } from '../contract/tx.ts'
import type { BodyBudget } from '../exchange/body-budget.ts'
import type { Gate } from '../exchange/gate.ts'
import { readHeader, readToken } from '../exchange/headers.ts'
import type { Values } from '../field/parse.ts'
import { byCanonicalNames } from '../field/wire-names.ts'
import type { Topology } from '../mount/topology.ts'
import { HELP } from '../transaction/help-verb.ts'
import { type Admission, callOf } from './admission.ts'
import type { AnyStateRoutes } from './any-state-routes.ts'
import { decodeRequest, isLarge, readData, tooLargeWithoutToken } from './decode.ts'
import { checkMarker, type OwnHeaders, readWrapTtl } from './own-headers.ts'
import { PathAdmission } from './path-admission.ts'
import type { PathCode } from './path-code.ts'
import type { AdmittedRequest, DecodedRequest, ReceivedRequest, RequestStages, ResolvedRequest } from './path-request.ts'
import type { PathResolver, ResolvedPath } from './path-resolver.ts'
import { PathRunner } from './path-run.ts'
import type { ResponseWrapper } from './response-wrapping.ts'
import { runAudited } from './run-audited.ts'
import type { StateIndex } from './state-index.ts'

export interface PathStagesParts {
  readonly gate: Gate
  readonly clock: Clock
  readonly entropy: Entropy
  readonly vaultNames: boolean
  readonly requireMarker: boolean
  readonly headers: OwnHeaders
  readonly topology: Topology
  readonly paths: PathResolver
  readonly code: PathCode
  readonly anyState: AnyStateRoutes
  readonly index: StateIndex
  readonly admission: Admission
  readonly bodies: BodyBudget
  readonly audit: AuditLog
  readonly wrapper: ResponseWrapper
}

export class PathStages implements RequestStages {
  readonly #parts: PathStagesParts
  readonly #admission: PathAdmission
  readonly #runner: PathRunner

  constructor(parts: PathStagesParts) {
    const { admission, paths, topology, clock, entropy, vaultNames } = parts
    this.#parts = parts
    this.#admission = new PathAdmission(admission, paths, topology)
    this.#runner = new PathRunner(clock, entropy, vaultNames)
  }

  decode(request: KernelRequest): DecodedRequest {
    const { bodies, headers, anyState } = this.#parts
    return decodeRequest(request, bodies.open(), headers, anyState)
  }

  receive(request: DecodedRequest): MaybePromise<ReceivedRequest> {
    this.checkMarker(request)
    const parse = () => whenAvailable(readData(request, this.#parts.clock), (data) => this.#received(request, data))
    return isLarge(request) ? whenAvailable(this.precheck(request), parse) : parse()
  }

  checkMarker(request: DecodedRequest): void {
    const { requireMarker, headers } = this.#parts
    if (requireMarker) checkMarker(request.headers, headers.marker)
  }

  /** Checks everything except the body: the path, the token and the state of the kernel. Refused requests are audited like all others. */
  precheck(decoded: DecodedRequest): MaybePromise<void> {
    const { gate, anyState, admission } = this.#parts
    const request = this.#received(decoded, {})
    if (anyState.serves(request)) throw tooLargeWithoutToken()
    const authenticate = () => {
      const { operation, unauthenticated } = this.#find(request)
      gate.check(operation?.onDrSecondary, operation?.whileJoining)
      if (unauthenticated) throw tooLargeWithoutToken()
      return admission.authenticate(request.token, request.remoteAddress)
    }
    const setAuthorized = () => request.bodyAccount.setAuthorized()
    const refuse = (refusal: unknown) =>
      this.audit(request, (): never => {
        this.#find(request)
        throw refusal
      })
    return whenAvailable(this.prepare(request), () => settle(authenticate, setAuthorized, refuse))
  }

  #received(request: DecodedRequest, data: Values): ReceivedRequest {
    const { headers, gate } = this.#parts
    const wrapTtl = readWrapTtl(request.headers, headers.wrapTtl)
    if (gate.state === 'closed') throw new KernelError('ERR_UNAVAILABLE', 'the kernel is closed')
    return request.asReceived(data, readToken(request.headers, headers.token), wrapTtl)
  }

  answerInAnyState(request: ReceivedRequest): MaybePromise<KernelResponse> | undefined {
    return this.#parts.anyState.answer(request)
  }

  prepare(request: ReceivedRequest): MaybePromise<void> {
    // The path has not been resolved yet, so accept every request that some operation answers on a secondary. Other operations are refused
    // later.
    this.#parts.gate.check(true, true)
    return this.#ready(request)
  }

  #ready(request: ReceivedRequest): MaybePromise<void> {
    const { topology, index, audit, code } = this.#parts
    const load = () => code.load(request)?.then(() => this.#ready(request))
    const stale = index.reached(request.headers) ?? topology.fresh() ?? audit.fresh()
    if (!stale) return load()
    return stale
      .then(() => topology.fresh())
      .then(() => audit.fresh())
      .then(load)
  }

  audit<T extends KernelResponse>(request: ReceivedRequest, answer: () => MaybePromise<T>): MaybePromise<T> {
    const { audit, entropy } = this.#parts
    return runAudited(request, audit, entropy, answer)
  }

  resolve(request: ReceivedRequest): ResolvedRequest {
    const path = this.#find(request)
    const { operation } = path
    this.#parts.gate.check(operation?.onDrSecondary, operation?.whileJoining)
    return request.asResolved(path, operation ? byCanonicalNames(operation.fields, request.sentData) : request.sentData)
  }

  /** Finds the path and adds it to the audit record. */
  #find({ verb, sentPath, namespaceHeader, record }: ReceivedRequest): ResolvedPath {
    const path = this.#parts.paths.find(verb, sentPath, namespaceHeader)
    record?.setDestination(path)
    return path
  }

  admit(request: ResolvedRequest): MaybePromise<AdmittedRequest> {
    return this.#admission.admit(request)
  }

  run(request: AdmittedRequest): MaybePromise<KernelResponse> {
    const { record, after } = request
    record?.setDestination(request)
    const call = () => this.#call(request)
    const recorded = () => (record ? whenAvailable(record.ask(), call) : call())
    if (!after) return recorded()
    const answer = async () => recorded()
    // If this request sealed the kernel, the token cannot be revoked now. A tick revokes it after the kernel was unsealed.
    return answer().finally(() => (this.#parts.gate.state === 'open' ? after() : undefined))
  }

  /** Runs the operation, and wraps the response if wrapping was requested. */
  #call(request: AdmittedRequest): MaybePromise<KernelResponse> {
    const { verb, mount, operation, wrapTtl } = request
    if (!operation || !mount) throw request.refusal
    const plain: Call = { ...callOf(request, mount, request), byPath: true }
    if (wrapTtl === 0) return this.#runner.run(request.asRunning(plain))
    const { wrapper, headers } = this.#parts
    const format = readHeader(request.headers, headers.wrapFormat) === 'jwt' ? 'jwt' : 'token'
    const call: Call = { ...plain, wrap: { ttl: wrapTtl, format } }
    wrapper.check(call)
    const answer = async () => this.#runner.run(request.asRunning(call))
    // Policies do not apply to help, because help is the same for every caller.
    const origin = { list: verb === 'LIST', isAuthorized: !request.unauthenticated && verb !== HELP }
    return answer().then((made) => wrapper.wrap(made, call, origin))
  }
}
