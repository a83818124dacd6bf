/** Collects the data of a request and writes its two audit entries in Vault's format. */
import { KernelError } from '../base/errors.ts'
import { type MaybePromise, settle, whenAvailable } from '../base/maybe-promise.ts'
import { ANONYMOUS, type Caller } from '../contract/caller.ts'
import { loginRefusal } from '../contract/login-refusal.ts'
import { ROOT_NAMESPACE } from '../contract/namespace.ts'
import { type AnswerToAudit, type AuditedAnswer, answerText, auditedAnswerOf } from './answer-text.ts'
import type { AuditBasis, AuditDestination, AuditedPath, AuditedRequest, PolicyResults } from './audit-basis.ts'
import { authText, requestText } from './request-text.ts'
import type { Trail } from './trail.ts'

/** The error text for a denied request. Vault writes the same text for known and unknown callers. */
const DENIED = '1 error occurred:\n\t* permission denied\n\n'

export class RequestRecord implements AuditBasis {
  readonly request: AuditedRequest
  readonly #trail: Trail
  at: AuditedPath
  caller: Caller = ANONYMOUS
  operation: string
  policyResults: PolicyResults | undefined
  /** If true, a refusal writes only the request entry, because the caller has not been identified yet. */
  onlyRequest = false
  /** The members `auth` and `request`, which are equal in the request entry and the response entry, by device. */
  readonly #shared: { auth: string; request: string }[] = []
  #asked = false

  constructor(trail: Trail, request: AuditedRequest, path: string) {
    this.#trail = trail
    this.request = request
    this.at = { namespace: ROOT_NAMESPACE, path, mount: undefined }
    this.operation = OPERATIONS[request.verb] ?? 'header'
  }

  setDestination({ namespace, path, mount, trailingSlash }: AuditDestination): void {
    const list = trailingSlash || this.request.verb === 'LIST'
    this.at = { namespace, path: list ? `${path}/` : path, mount }
  }

  /** Runs a request and writes its entries. If the request fails, the error is written to the entries and thrown again. */
  around<T>(run: () => MaybePromise<T>, answerOf: (value: T) => AnswerToAudit): MaybePromise<T> {
    this.#trail.enter()
    let waits = false
    try {
      const answered = (value: T): MaybePromise<T> => whenAvailable(this.#answered(auditedAnswerOf(answerOf(value))), () => value)
      const done = settle<T, T>(run, answered, (thrown) => this.#refused(thrown))
      waits = done instanceof Promise
      return done instanceof Promise ? done.finally(() => this.#trail.leave()) : done
    } finally {
      if (!waits) this.#trail.leave()
    }
  }

  /** Writes the request entry, which must be stored before the request runs. @throws KernelError ERR_AUDIT */
  ask(error?: string): MaybePromise<void> {
    this.#asked = true
    return this.#trail.write((device, index) => {
      const auth = authText(device, this)
      return whenAvailable(requestText(device, this), (request) => {
        this.#shared[index] = { auth, request }
        return this.#entry('request', auth, request, '', error)
      })
    }, false)
  }

  #answered(answer: AuditedAnswer): MaybePromise<void> {
    return this.#respond(answer, undefined, answer.error === undefined)
  }

  #refused(thrown: unknown): MaybePromise<never> {
    if (isAuditFailure(thrown) || !(thrown instanceof Error)) throw thrown
    const again = (): never => {
      throw thrown
    }
    const error = errorText(thrown)
    const refused = { error: messageOf(thrown), reason: loginRefusal(thrown) }
    const answer = (): MaybePromise<never> =>
      this.onlyRequest ? again() : whenAvailable(this.#respond(refused, error, false), again)
    return this.#asked ? answer() : whenAvailable(this.ask(error), answer)
  }

  #respond(answer: AuditedAnswer, error: string | undefined, committed: boolean): MaybePromise<void> {
    return this.#trail.write((device, index) => {
      // If no request entry was made for this device, there are no texts to reuse, so make them here: each entry must be complete.
      const shared = this.#shared[index]
      const auth = shared?.auth ?? authText(device, this)
      return whenAvailable(shared?.request ?? requestText(device, this), (request) =>
        whenAvailable(answerText(device, this, answer, this.#trail.parts.identify), (response) =>
          this.#entry('response', auth, request, `,"response":${response}${reasonText(answer)}`, error ?? answer.error),
        ),
      )
    }, committed)
  }

  /** Returns the JSON text without the closing brace, because the chain link is appended. */
  #entry(type: string, auth: string, request: string, rest: string, error: string | undefined): string {
    const said = error === undefined ? '' : `,"error":${JSON.stringify(error)}`
    return `{"time":"${this.#trail.time}","type":"${type}","auth":${auth},"request":${request}${rest}${said}`
  }
}

/** Admission later decides whether a POST is an `update` or a `create`. */
const OPERATIONS: Readonly<Record<string, string>> = {
  GET: 'read',
  LIST: 'list',
  POST: 'update',
  DELETE: 'delete',
  PATCH: 'patch',
}

const reasonText = ({ reason }: AuditedAnswer): string => (reason === undefined ? '' : `,"reason":"${reason}"`)

const isAuditFailure = (thrown: unknown): boolean => thrown instanceof KernelError && thrown.code === 'ERR_AUDIT'

function messageOf(thrown: Error): string {
  if (isDenied(thrown)) return 'permission denied'
  return thrown instanceof KernelError ? thrown.message : 'internal error'
}

const isDenied = (thrown: Error): boolean => thrown instanceof KernelError && thrown.code === 'ERR_PERMISSION_DENIED'

const errorText = (thrown: Error): string => (isDenied(thrown) ? DENIED : messageOf(thrown))
