/**
 * Decides whether the kernel accepts requests, and tracks the requests that are running.
 */
import { KernelError } from '../base/errors.ts'

export type KernelState = 'uninitialized' | 'sealed' | 'open' | 'closed'

export class Gate {
  state: KernelState = 'uninitialized'
  /**
   * Returns an error if the kernel must refuse the request although it is open.
   * @param onMirror Whether the operation is allowed on a disaster recovery secondary.
   * @param whileJoining Whether the operation is allowed while a cluster is becoming a secondary.
   */
  refusalFor: (onMirror: boolean, whileJoining: boolean) => KernelError | undefined = () => undefined
  readonly #running = new Set<Promise<unknown>>()

  /**
   * @param onMirror Whether the operation is allowed on a disaster recovery secondary.
   * @param whileJoining Whether the operation is allowed while a cluster is becoming a secondary.
   * @throws TypeError if the kernel is closed. KernelError 503 if it is sealed or not initialized, 400 if the kernel is open, but is a
   * secondary that must not answer this request.
   */
  check(onMirror = false, whileJoining = false): void {
    this.checkOpen()
    const refusal = this.refusalFor(onMirror, whileJoining)
    if (refusal) throw refusal
  }

  /** Like `check`, but accepts the work on every secondary. For work that is not a request. */
  checkOpen(): void {
    if (this.state === 'open') return
    if (this.state === 'closed') throw new TypeError('the kernel is closed')
    if (this.state === 'sealed') throw new KernelError('ERR_SEALED', 'the kernel is sealed')
    throw new KernelError('ERR_NOT_INITIALIZED', 'the store is not initialized: call kernel.seal.initialize() or sys/init')
  }

  /** Tracks a request that returns a promise. `close()` waits for the tracked requests. */
  track<T>(work: Promise<T>): Promise<T> {
    this.#running.add(work)
    const done = () => this.#running.delete(work)
    work.then(done, done)
    return work
  }

  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled([...this.#running])
  }
}
