/** Limits how long a peer may take for the next piece of a body or answer. */
export class StallTimer {
  readonly #milliseconds: number
  #timer: ReturnType<typeof setTimeout> | undefined
  #immediate: ReturnType<typeof setImmediate> | undefined

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds
  }

  /** Restarts the timer. It does not keep the process alive. */
  start(onStall: () => void): void {
    this.stop()
    this.#timer = setTimeout(() => {
      // If the process itself was busy during that time, first process the pending events, which may report progress of the peer.
      this.#immediate = setImmediate(onStall)
    }, this.#milliseconds)
    this.#timer.unref()
  }

  stop(): void {
    clearTimeout(this.#timer)
    clearImmediate(this.#immediate)
  }
}
