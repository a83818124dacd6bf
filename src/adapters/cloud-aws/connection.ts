import type { CloudSettings } from '../../engines/cloud/port.ts'
import { MAX_HTTP_ANSWER_BYTES, meteredHttpAgent, meteredHttpsAgent } from '../network/metered-agent.ts'
import { AwsError, awsFailure } from './failure.ts'
import { loadIam, loadSts } from './library.ts'
import { LostAnswerError, neverRetryLostCreation } from './lost-answers.ts'
import type { AwsCredentials, AwsCredentialsProvider, Iam, IamModule, Sts, StsModule } from './sdk.ts'
import { configuredRegion, endpointUrl, iamSigningRegion } from './target.ts'

export interface ConnectionOptions {
  readonly iam?: IamModule | undefined
  readonly sts?: StsModule | undefined
  /** The credentials for settings that contain no keys, or a function that returns the credentials. */
  readonly credentials?: AwsCredentials | AwsCredentialsProvider | undefined
  /** The maximum time of a call in milliseconds, including all retries and pages. */
  readonly deadlineMs: number
}

/** Replaces the SDK's default logger, which writes warnings to the console if many requests wait for a socket. */
const SILENT_LOGGER = { trace() {}, debug() {}, info() {}, warn() {}, error() {} }

/** The SDK's defaults. They are set here because this module passes agents of its own, to which the SDK does not apply its defaults. */
const SOCKET_OPTIONS = { keepAlive: true, maxSockets: 50 }

/** The IAM and STS clients of one configuration, created at first use. Each call has a deadline. */
export class AwsConnection {
  readonly #settings: CloudSettings
  readonly #options: ConnectionOptions
  #iam: Promise<Iam> | undefined
  #sts: Promise<Sts> | undefined
  #closed = false

  constructor(settings: CloudSettings, options: ConnectionOptions) {
    this.#settings = settings
    this.#options = options
  }

  /** Calls `ask` with the client. @throws AwsError for every failure. */
  iam<T>(signal: AbortSignal, ask: (iam: Iam, options: { readonly abortSignal: AbortSignal }) => Promise<T>): Promise<T> {
    return this.#within(signal, async (abortSignal) => ask(await this.#openIam(), { abortSignal }))
  }

  /** Calls `ask` with the client. @throws AwsError for every failure. */
  sts<T>(signal: AbortSignal, ask: (sts: Sts, options: { readonly abortSignal: AbortSignal }) => Promise<T>): Promise<T> {
    return this.#within(signal, async (abortSignal) => ask(await this.#openSts(), { abortSignal }))
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    for (const client of [this.#iam, this.#sts])
      client?.then(
        (made) => made.destroy(),
        () => {},
      )
  }

  #openIam(): Promise<Iam> {
    this.#iam ??= this.#makeIam().catch((error: unknown) => {
      this.#iam = undefined
      throw error
    })
    return this.#iam
  }

  #openSts(): Promise<Sts> {
    this.#sts ??= this.#makeSts().catch((error: unknown) => {
      this.#sts = undefined
      throw error
    })
    return this.#sts
  }

  async #makeIam(): Promise<Iam> {
    const { IAM } = this.#options.iam ?? (await loadIam())
    const endpoint = endpointUrl(this.#settings.iamEndpoint)
    const iam = new IAM(this.#config(iamSigningRegion(configuredRegion(this.#settings, process.env), endpoint), endpoint))
    // Insert the middleware after the retry middleware, so that it sees the result of each attempt.
    iam.middlewareStack.addRelativeTo(neverRetryLostCreation as never, {
      name: 'strongroomLostAnswers',
      relation: 'after',
      toMiddleware: 'retryMiddleware',
    })
    return iam
  }

  async #makeSts(): Promise<Sts> {
    const { STS } = this.#options.sts ?? (await loadSts())
    return new STS(this.#config(configuredRegion(this.#settings, process.env), endpointUrl(this.#settings.stsEndpoint)))
  }

  #config(region: string, endpoint: string | undefined): Readonly<Record<string, unknown>> {
    const { maxRetries } = this.#settings
    return {
      region,
      credentials: this.#credentials(),
      requestHandler: {
        logger: SILENT_LOGGER,
        httpAgent: meteredHttpAgent(MAX_HTTP_ANSWER_BYTES, SOCKET_OPTIONS),
        httpsAgent: meteredHttpsAgent(MAX_HTTP_ANSWER_BYTES, SOCKET_OPTIONS),
      },
      ...(endpoint !== undefined && { endpoint }),
      ...(maxRetries !== undefined && maxRetries >= 0 && { maxAttempts: maxRetries + 1 }),
    }
  }

  /** If no credentials are configured, calls fail: the credential chain of the SDK must not be used implicitly. */
  #credentials(): AwsCredentials | AwsCredentialsProvider {
    const { accessKey, secretKey } = this.#settings
    if (accessKey !== undefined && secretKey !== undefined) return { accessKeyId: accessKey, secretAccessKey: secretKey }
    const { credentials } = this.#options
    return (
      credentials ??
      (async () => {
        throw new AwsError('access-denied', 'MissingAuthenticationToken')
      })
    )
  }

  /**
   * Runs `work`, and rejects as soon as the signal is aborted or the deadline has passed. The SDK alone would reject later, because it does
   * not check its signal while it waits between retries.
   */
  async #within<T>(signal: AbortSignal, work: (stop: AbortSignal) => Promise<T>): Promise<T> {
    if (signal.aborted || this.#closed) throw new AwsError('unavailable', 'AbortError')
    const stop = new AbortController()
    let giveUp = (_: AwsError): void => {}
    const givenUp = new Promise<never>((_, reject) => {
      giveUp = reject
    })
    const end = (code: string): void => {
      stop.abort()
      giveUp(new AwsError('unavailable', code))
    }
    const abort = (): void => end('AbortError')
    signal.addEventListener('abort', abort, { once: true })
    const timer = setTimeout(() => end('TimeoutError'), this.#options.deadlineMs)
    try {
      return await Promise.race([work(stop.signal), givenUp])
    } catch (error) {
      throw awsFailure(error instanceof LostAnswerError ? error.lost : error)
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    }
  }
}
