/**
 * Whether the kernel accepts requests, and which are still running.
 */
import { KernelError } from '../base/errors.ts'

export type KernelState = 'uninitialized' | 'sealed' | 'open' | 'closed'

export class Gate {
  state: KernelState = 'uninitialized'
  /**
   * Why requests are refused although the kernel is open.
   * @param onMirror Whether a secondary for disaster recovery serves the request.
   * @param whileJoining Whether a cluster that is becoming a secondary does.
   */
  barred: (onMirror: boolean, whileJoining: boolean) => KernelError | undefined = () => undefined
  readonly #running = new Set<Promise<unknown>>()

  /**
   * @param onMirror Whether a secondary for disaster recovery serves the request.
   * @param whileJoining Whether a cluster that is becoming a secondary does.
   * @throws TypeError when closed, KernelError 503 when sealed or not initialised, 400 for what such a secondary does not serve.
   */
  check(onMirror = false, whileJoining = false): void {
    this.checkOpen()
    const refusal = this.barred(onMirror, whileJoining)
    if (refusal) throw refusal
  }

  /** The same for work that is no request. */
  checkOpen(): void {
    if (this.state === 'open') return
    if (this.state === 'closed') throw new TypeError('the kernel is closed')
    if (this.state === 'sealed') throw new KernelError('ERR_SEALED', 'the kernel is sealed')
    throw new KernelError('ERR_NOT_INITIALIZED', 'the store is not initialized: kernel.seal.initialize() or sys/init does that')
  }

  /** Tracks requests that did not answer at once; `close()` waits for them. */
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
