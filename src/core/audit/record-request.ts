/** Collects what is known about one request and writes its two audit entries, in Vault's format. */
import { KernelError } from '../base/errors.ts'
import { type MaybePromise, settle, whenAvailable } from '../base/maybe-promise.ts'
import { ANONYMOUS, type Caller } from '../contract/caller.ts'
import { loginRefusal } from '../contract/login-refusal.ts'
import { ROOT_NAMESPACE } from '../contract/namespace.ts'
import { type AuditedAnswer, answerText } from './answer-text.ts'
import type { AuditBasis, AuditDestination, AuditedPath, AuditedRequest, PolicyResults } from './audit-basis.ts'
import { authText, requestText } from './request-text.ts'
import type { Trail } from './trail.ts'

/** Vault writes this text for every refused caller, known or not. */
const DENIED = '1 error occurred:\n\t* permission denied\n\n'

export class RequestRecord implements AuditBasis {
  readonly request: AuditedRequest
  readonly #trail: Trail
  at: AuditedPath
  caller: Caller = ANONYMOUS
  operation: string
  policyResults: PolicyResults | undefined
  /** Whether a refusal writes only the request entry, because the caller is not identified yet. */
  onlyRequest = false
  /** Texts that both entries contain, by device. */
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

  /** Runs the request between its two entries. If it fails, the error is recorded and thrown again. */
  around<T>(run: () => MaybePromise<T>, answerOf: (value: T) => AuditedAnswer): MaybePromise<T> {
    this.#trail.enter()
    let waits = false
    try {
      const answered = (value: T): MaybePromise<T> => whenAvailable(this.#answered(answerOf(value)), () => value)
      const done = settle<T, T>(run, answered, (thrown) => this.#refused(thrown))
      waits = done instanceof Promise
      return done instanceof Promise ? done.finally(() => this.#trail.leave()) : done
    } finally {
      if (!waits) this.#trail.leave()
    }
  }

  /** Writes the request entry. Only then may the request run. @throws KernelError ERR_AUDIT */
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
      // A device that did not store the request entry still gets the response entry, with all members.
      const shared = this.#shared[index]
      const auth = shared?.auth ?? authText(device, this)
      return whenAvailable(shared?.request ?? requestText(device, this), (request) =>
        whenAvailable(answerText(device, this, answer, this.#trail.parts.identify), (response) =>
          this.#entry('response', auth, request, `,"response":${response}${reasonText(answer)}`, error ?? answer.error),
        ),
      )
    }, committed)
  }

  /** JSON text without its closing brace, because the chain link follows. */
  #entry(type: string, auth: string, request: string, rest: string, error: string | undefined): string {
    const said = error === undefined ? '' : `,"error":${JSON.stringify(error)}`
    return `{"time":"${this.#trail.time}","type":"${type}","auth":${auth},"request":${request}${rest}${said}`
  }
}

/** Whether a POST is a `create` is decided by admission. */
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
