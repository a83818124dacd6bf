/**
 * The life of a call by path. One record accompanies the request through five stages. The type of each stage has the members of the stage
 * before, and adds its own:
 *
 * decoded → received → resolved → admitted → running
 *
 * {@link RequestStages} says what is checked in which stage, and {@link answerByStages} runs the stages in Vault's order.
 */
import type { RequestRecord } from '../audit/record-request.ts'
import { type MaybePromise, recover, whenAvailable } from '../base/maybe-promise.ts'
import type { Caller } from '../contract/caller.ts'
import type { NamespaceRecord } from '../contract/namespace.ts'
import type { AnyOperation } from '../contract/operation.ts'
import type { KernelRequest, KernelResponse } from '../contract/request.ts'
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
  /** Adds the members of the next stage. */
  asReceived(sentData: Values, token: string | undefined, wrapTtl: number): ReceivedRequest
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
  /** Adds the members of the next stage. */
  asResolved(path: ResolvedPath, data: Values): ResolvedRequest
}

/** The path was resolved. The caller is not known yet. */
export interface ResolvedRequest extends ReceivedRequest, ResolvedPath, AuthorizationRequest {
  /** The parameters under the names of this API. */
  readonly data: Values
  record: RequestRecord | undefined
  /** Adds the members of the next stage. */
  asAdmitted(admitted: AdmittedCaller): AdmittedRequest
}

/** The caller may make the request, or the operation needs no caller. */
export interface AdmittedRequest extends ResolvedRequest, AdmittedCaller {
  /** Adds the members of the next stage. */
  asRunning(call: Call): RunningRequest
}

/** An operation exists at the path, and runs with this call. */
export interface RunningRequest extends AdmittedRequest {
  readonly mount: Mount
  readonly operation: AnyOperation
  readonly call: Call
}

/** The work of the stages. Each method throws a `KernelError` if it refuses the request. */
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

/** The record of all stages. The members of later stages are undefined. */
export class PathRequest implements AdmittedRequest {
  readonly verb: string
  readonly sentPath: string
  readonly query: Values
  readonly headers: RequestMembers['headers']
  body: unknown
  readonly remoteAddress: string | undefined
  readonly namespaceHeader: string | undefined
  readonly bodyAccount: BodyAccount

  sentData!: Values
  token: string | undefined
  wrapTtl!: number
  record: RequestRecord | undefined

  namespace!: NamespaceRecord
  path!: string
  trailingSlash!: boolean
  mount: Mount | undefined
  operation: AnyOperation | undefined
  captures!: ResolvedPath['captures']
  refusal: ResolvedPath['refusal']
  unauthenticated!: boolean
  data!: Values
  parameters!: () => Values

  caller!: Caller
  sudo!: boolean
  recheck: AdmittedCaller['recheck']
  after: AdmittedCaller['after']

  call: Call | undefined

  constructor(
    verb: string,
    path: string,
    { query, headers, body, remoteAddress }: Omit<RequestMembers, 'method' | 'path'>,
    namespaceHeader: string | undefined,
    bodyAccount: BodyAccount,
  ) {
    this.verb = verb
    this.sentPath = path
    this.query = query
    this.headers = headers
    this.body = body
    this.remoteAddress = remoteAddress
    this.namespaceHeader = namespaceHeader
    this.bodyAccount = bodyAccount
  }

  asReceived(sentData: Values, token: string | undefined, wrapTtl: number): ReceivedRequest {
    this.sentData = sentData
    this.token = token
    this.wrapTtl = wrapTtl
    return this
  }

  asResolved(path: ResolvedPath, data: Values): ResolvedRequest {
    // The call of an operation refers to this record and may be kept after the response. The body was read, so do not keep it.
    this.body = undefined
    this.namespace = path.namespace
    this.path = path.path
    this.trailingSlash = path.trailingSlash
    this.mount = path.mount
    this.operation = path.operation
    this.captures = path.captures
    this.refusal = path.refusal
    this.unauthenticated = path.unauthenticated
    this.data = data
    this.parameters = () => data
    return this
  }

  asAdmitted({ caller, sudo, recheck, after }: AdmittedCaller): AdmittedRequest {
    this.caller = caller
    this.sudo = sudo
    this.recheck = recheck
    this.after = after
    return this
  }

  asRunning(call: Call): RunningRequest {
    this.call = call
    return this as RunningRequest
  }
}
