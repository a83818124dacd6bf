/**
 * The life of a call by path. One object represents the request through five stages. The type of each stage has the members of the stage
 * before, and adds its own:
 *
 * decoded → received → resolved → admitted → running
 *
 * {@link RequestStages} describes the checks between the stages, and {@link answerByStages} runs them in Vault's order.
 */
import type { RequestRecord } from '../audit/record-request.ts'
import { type MaybePromise, recover, whenAvailable } from '../base/maybe-promise.ts'
import type { AnyOperation } from '../contract/operation.ts'
import type { KernelRequest, KernelResponse } from '../contract/request.ts'
import type { TracedRequest } from '../contract/tracer.ts'
import type { Call } from '../contract/tx.ts'
import type { BodyAccount } from '../exchange/body-budget.ts'
import type { RequestMembers } from '../exchange/request-members.ts'
import type { Values } from '../field/parse.ts'
import { errorBySentNames } from '../field/wire-names.ts'
import type { Mount } from '../mount/mount.ts'
import type { AdmittedCaller, AuthorizationRequest } from './admission.ts'
import type { ResolvedPath } from './path-resolver.ts'

/** The members of the request were read, and its verb was checked. */
export interface DecodedRequest extends Omit<RequestMembers, 'method' | 'path'> {
  /** The verb of an operation, such as `LIST`, or another verb, such as `HEAD`. */
  readonly verb: string
  readonly sentPath: string
  /** The namespace header. `sentPath` is relative to this namespace. */
  readonly namespaceHeader: string | undefined
  /** The account for the memory that the body uses. */
  readonly bodyAccount: BodyAccount
  /** The description for tracers. Undefined if requests are not traced. */
  traced: TracedRequest | undefined
}

/** The body and the headers were read. */
export interface ReceivedRequest extends DecodedRequest {
  /** The parameters as they were sent. */
  readonly sentData: Values
  readonly token: string | undefined
  /** The requested wrapping TTL in seconds; 0 means no wrapping. */
  readonly wrapTtl: number
  /** The audit record. Undefined if requests are not audited. */
  record: RequestRecord | undefined
}

/** The path was resolved. The caller is not known yet. */
export interface ResolvedRequest extends ReceivedRequest, ResolvedPath, AuthorizationRequest {
  /** The parameters under the names of this API. */
  readonly data: Values
  record: RequestRecord | undefined
}

/** The caller may make the request, or the operation needs no caller. */
export interface AdmittedRequest extends ResolvedRequest, AdmittedCaller {}

/** An operation exists at the path, and runs with this call. */
export interface RunningRequest extends AdmittedRequest {
  readonly mount: Mount
  readonly operation: AnyOperation
  readonly call: Call
}

/** The checks and work between the stages. Each method throws a `KernelError` if it refuses the request. */
export interface RequestStages {
  /** Checks the verb, the list flag and the media type. */
  decode(request: KernelRequest): DecodedRequest
  /** Checks the headers and parses the body. Before a large body is parsed, the token is authenticated. */
  receive(request: DecodedRequest): MaybePromise<ReceivedRequest>
  /** Answers operations that any caller may use in any state of the kernel. Returns undefined for all other operations. */
  answerInAnyState(request: ReceivedRequest): MaybePromise<KernelResponse> | undefined
  /** Checks the state of the kernel. Waits until the caches are up to date and the code that the request needs is loaded. */
  prepare(request: ReceivedRequest): MaybePromise<void>
  /** Calls `answer`. If requests are audited, writes the entries of the request. */
  audit<T extends KernelResponse>(request: ReceivedRequest, answer: () => MaybePromise<T>): MaybePromise<T>
  /** Finds the namespace, the mount and the operation. A path without an operation is refused only after the caller was admitted. */
  resolve(request: ReceivedRequest): ResolvedRequest
  /** Checks the namespace and the slash at the end of the path. Then authenticates the token, authorizes the caller and counts the use. */
  admit(request: ResolvedRequest): MaybePromise<AdmittedRequest>
  /** Runs the operation and creates the response. */
  run(request: AdmittedRequest): MaybePromise<KernelResponse>
}

/** Answers a decoded request: runs the stages in Vault's order. @throws KernelError if the request is refused */
export const answerByStages = (stages: RequestStages, decoded: DecodedRequest): MaybePromise<KernelResponse> =>
  whenAvailable(
    stages.receive(decoded),
    (received) =>
      stages.answerInAnyState(received) ??
      whenAvailable(stages.prepare(received), () =>
        stages.audit(received, () => {
          const resolved = stages.resolve(received)
          return withSentNames(resolved, () => whenAvailable(stages.admit(resolved), (admitted) => stages.run(admitted)))
        }),
      ),
  )

/** Calls `answer`. If it fails, its error names the parameters as they were sent. */
function withSentNames(
  { operation, data, sentData }: ResolvedRequest,
  answer: () => MaybePromise<KernelResponse>,
): MaybePromise<KernelResponse> {
  if (!operation || data === sentData) return answer()
  return recover(answer, (refusal) => {
    throw errorBySentNames(operation.fields, sentData, refusal)
  })
}

/**
 * Creates the object of all stages. It has all members from the beginning, because objects of one shape are fast; the members of later
 * stages are undefined.
 */
export function decodedRequest(
  verb: string,
  sentPath: string,
  { query, headers, body, remoteAddress }: Omit<RequestMembers, 'method' | 'path'>,
  namespaceHeader: string | undefined,
  bodyAccount: BodyAccount,
): DecodedRequest {
  const request: { [Name in keyof RunningRequest]: RunningRequest[Name] | undefined } = {
    verb,
    sentPath,
    query,
    headers,
    body,
    remoteAddress,
    namespaceHeader,
    bodyAccount,
    traced: undefined,
    sentData: undefined,
    token: undefined,
    wrapTtl: undefined,
    record: undefined,
    namespace: undefined,
    path: undefined,
    trailingSlash: undefined,
    mount: undefined,
    operation: undefined,
    captures: undefined,
    refusal: undefined,
    unauthenticated: undefined,
    data: undefined,
    parameters: undefined,
    caller: undefined,
    sudo: undefined,
    recheck: undefined,
    after: undefined,
    call: undefined,
  }
  return request as DecodedRequest
}

/** The functions below add the members of a stage to a request of the stage before. */
type Writable<Stage> = { -readonly [Name in keyof Stage]: Stage[Name] }

export function toReceived(
  request: DecodedRequest,
  sentData: Values,
  token: string | undefined,
  wrapTtl: number,
): ReceivedRequest {
  const next = request as Writable<ReceivedRequest>
  next.sentData = sentData
  next.token = token
  next.wrapTtl = wrapTtl
  return next
}

export function toResolved(request: ReceivedRequest, path: ResolvedPath, data: Values): ResolvedRequest {
  const next = request as Writable<ResolvedRequest>
  next.namespace = path.namespace
  next.path = path.path
  next.trailingSlash = path.trailingSlash
  next.mount = path.mount
  next.operation = path.operation
  next.captures = path.captures
  next.refusal = path.refusal
  next.unauthenticated = path.unauthenticated
  next.data = data
  next.parameters = () => data
  // The call of an operation refers to the request and may be kept after the response. The body was read, so do not keep it.
  next.body = undefined
  return next
}

export function toAdmitted(request: ResolvedRequest, { caller, sudo, recheck, after }: AdmittedCaller): AdmittedRequest {
  const next = request as Writable<AdmittedRequest>
  next.caller = caller
  next.sudo = sudo
  next.recheck = recheck
  next.after = after
  return next
}

export function toRunning(request: AdmittedRequest, call: Call): RunningRequest {
  const next = request as Writable<RunningRequest>
  next.call = call
  return next
}
