/**
 * Decides whether the kernel accepts requests, and tracks the running ones.
 */
import { KernelError } from '../base/errors.ts'

export type KernelState = 'uninitialized' | 'sealed' | 'open' | 'closed'

export class Gate {
  state: KernelState = 'uninitialized'
  /**
   * Returns the error with which an open kernel refuses a request.
   * @param onMirror Whether a disaster recovery secondary answers the request.
   * @param whileJoining Whether a cluster that is becoming a secondary answers the request.
   */
  refusalFor: (onMirror: boolean, whileJoining: boolean) => KernelError | undefined = () => undefined
  readonly #running = new Set<Promise<unknown>>()

  /**
   * @param onMirror Whether a disaster recovery secondary answers the request.
   * @param whileJoining Whether a cluster that is becoming a secondary answers the request.
   * @throws TypeError if closed; KernelError 503 if sealed or not initialized, or 400 if this secondary does not answer the request.
   */
  check(onMirror = false, whileJoining = false): void {
    this.checkOpen()
    const refusal = this.refusalFor(onMirror, whileJoining)
    if (refusal) throw refusal
  }

  /** The same check for work that is not a request. */
  checkOpen(): void {
    if (this.state === 'open') return
    if (this.state === 'closed') throw new TypeError('the kernel is closed')
    if (this.state === 'sealed') throw new KernelError('ERR_SEALED', 'the kernel is sealed')
    throw new KernelError('ERR_NOT_INITIALIZED', 'the store is not initialized: call kernel.seal.initialize() or sys/init')
  }

  /** Tracks requests that return a promise; `close()` waits for them. */
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
