/** The checks and work between the stages of a call by path. */
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
import { noteOperation } from '../exchange/traced-request.ts'
import type { Values } from '../field/parse.ts'
import { byCanonicalNames } from '../field/wire-names.ts'
import type { Topology } from '../mount/topology.ts'
import { HELP } from '../transaction/help-verb.ts'
import { type Admission, callOf } from './admission.ts'
import type { AnyStateRoutes } from './any-state-routes.ts'
import { decodeRequest, isLarge, readData, tooLargeWithoutToken } from './decode.ts'
import { checkMarker, type OwnHeaderNames, readWrapTtl } from './own-headers.ts'
import { PathAdmission } from './path-admission.ts'
import type { PathCode } from './path-code.ts'
import {
  type AdmittedRequest,
  type DecodedRequest,
  type ReceivedRequest,
  type RequestStages,
  type ResolvedRequest,
  toReceived,
  toResolved,
  toRunning,
} from './path-request.ts'
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
  readonly headerNames: OwnHeaderNames
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
    const { bodies, headerNames, anyState } = this.#parts
    return decodeRequest(request, bodies.open(), headerNames, anyState)
  }

  receive(request: DecodedRequest): MaybePromise<ReceivedRequest> {
    this.checkMarker(request)
    return isLarge(request) ? whenAvailable(this.precheck(request), () => this.#parse(request)) : this.#parse(request)
  }

  checkMarker({ headers }: DecodedRequest): void {
    const { requireMarker, headerNames } = this.#parts
    if (requireMarker) checkMarker(headers, headerNames.marker)
  }

  /** Checks everything except the body: the path, the token and the state of the kernel. Refused requests are audited like all others. */
  precheck(decoded: DecodedRequest): MaybePromise<void> {
    const { gate, anyState, admission } = this.#parts
    const request = this.#readHeaders(decoded, {})
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

  #parse(request: DecodedRequest): MaybePromise<ReceivedRequest> {
    return whenAvailable(readData(request, this.#parts.clock), (data) => this.#readHeaders(request, data))
  }

  #readHeaders(request: DecodedRequest, data: Values): ReceivedRequest {
    const { headerNames, gate } = this.#parts
    const { headers } = request
    const wrapTtl = readWrapTtl(headers, headerNames.wrapTtl)
    if (gate.state === 'closed') throw new KernelError('ERR_UNAVAILABLE', 'the kernel is closed')
    return toReceived(request, data, readToken(headers, headerNames.token), wrapTtl)
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
    const { topology, index, audit } = this.#parts
    const stale = index.reached(request.headers) ?? topology.fresh() ?? audit.fresh()
    if (!stale) return this.#load(request)
    return stale
      .then(() => topology.fresh())
      .then(() => audit.fresh())
      .then(() => this.#load(request))
  }

  #load(request: ReceivedRequest): MaybePromise<void> {
    return this.#parts.code.load(request)?.then(() => this.#ready(request))
  }

  audit<T extends KernelResponse>(request: ReceivedRequest, answer: () => MaybePromise<T>): MaybePromise<T> {
    const { audit, entropy } = this.#parts
    return audit.trail ? runAudited(request, audit, audit.trail, entropy, answer) : answer()
  }

  resolve(request: ReceivedRequest): ResolvedRequest {
    const path = this.#find(request)
    const { operation, mount } = path
    if (request.traced && mount) noteOperation(request.traced, mount.engine, operation)
    this.#parts.gate.check(operation?.onDrSecondary, operation?.whileJoining)
    return toResolved(request, path, operation ? byCanonicalNames(operation.fields, request.sentData) : request.sentData)
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
    const { after } = request
    if (!after) return this.#runRecorded(request)
    const answer = async () => this.#runRecorded(request)
    // If this request sealed the kernel, the token cannot be revoked now. A tick revokes it after the kernel was unsealed.
    return answer().finally(() => (this.#parts.gate.state === 'open' ? after() : undefined))
  }

  /** Writes the request entry of the audit log, and runs the request. */
  #runRecorded(request: AdmittedRequest): MaybePromise<KernelResponse> {
    const { record } = request
    if (!record) return this.#runOperation(request)
    record.setDestination(request)
    return whenAvailable(record.ask(), () => this.#runOperation(request))
  }

  /** Runs the operation, and wraps the response if wrapping was requested. */
  #runOperation(request: AdmittedRequest): MaybePromise<KernelResponse> {
    const { verb, headers, mount, operation, wrapTtl } = request
    if (!operation || !mount) throw request.refusal
    const plain: Call = { ...callOf(request, mount, request), byPath: true }
    if (wrapTtl === 0) return this.#runner.run(toRunning(request, plain))
    const { wrapper, headerNames } = this.#parts
    const format = readHeader(headers, headerNames.wrapFormat) === 'jwt' ? 'jwt' : 'token'
    const call: Call = { ...plain, wrap: { ttl: wrapTtl, format } }
    wrapper.check(call)
    const answer = async () => this.#runner.run(toRunning(request, call))
    // Policies do not apply to help, because help is the same for every caller.
    const origin = { list: verb === 'LIST', isAuthorized: !request.unauthenticated && verb !== HELP }
    return answer().then((made) => wrapper.wrap(made, call, origin))
  }
}
