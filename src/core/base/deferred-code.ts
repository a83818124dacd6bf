/** Code that is loaded when it is first needed. */
import { KernelError } from './errors.ts'

/** A module that is imported when it is first needed. `M` is what the import resolves with. */
export class DeferredCode<M = unknown> {
  /** The name of the code in error messages, such as `the NIST curves`. */
  readonly name: string
  readonly #import: () => Promise<M>
  readonly #onLoad: () => void
  #loaded: { readonly code: M } | undefined
  #loading: Promise<void> | undefined

  /**
   * @param importCode Imports the code. Called again after a failure.
   * @param onLoad Called once, as soon as the code can be used.
   */
  constructor(name: string, importCode: () => Promise<M>, onLoad = () => {}) {
    this.name = name
    this.#import = importCode
    this.#onLoad = onLoad
  }

  get isLoaded(): boolean {
    return this.#loaded !== undefined
  }

  /** @throws CodeNotLoadedError before {@link load} has succeeded */
  get code(): M {
    if (!this.#loaded) throw this.missing()
    return this.#loaded.code
  }

  /** @throws CodeNotLoadedError before {@link load} has succeeded */
  assertLoaded(): void {
    if (!this.#loaded) throw this.missing()
  }

  /** Concurrent calls load the code once. @throws KernelError 503 if the code cannot be loaded; a later call tries again */
  load(): Promise<void> {
    this.#loading ??= this.#load()
    return this.#loading
  }

  /** Loads the code if necessary, and resolves with it. @throws KernelError 503 if the code cannot be loaded */
  async loaded(): Promise<M> {
    await this.load()
    return this.code
  }

  protected missing(): CodeNotLoadedError {
    return new CodeNotLoadedError(this, `the code of ${this.name} is not loaded yet`)
  }

  async #load(): Promise<void> {
    try {
      this.#loaded = { code: await this.#import() }
      this.#onLoad()
    } catch (cause) {
      this.#loading = undefined
      throw new KernelError('ERR_UNAVAILABLE', `the code of ${this.name} could not be loaded; retry`, { cause })
    }
  }
}

/**
 * Code was used before it was loaded. If the body of a transaction throws this error, the transaction loads the code and runs the body
 * again, just as it does for a record that is not loaded.
 */
export class CodeNotLoadedError extends TypeError {
  readonly code: Pick<DeferredCode, 'load'>

  constructor(code: Pick<DeferredCode, 'load'>, message: string) {
    super(message)
    this.code = code
  }
}

/** Loads the missing code if the error is a {@link CodeNotLoadedError}. Rethrows any other error. */
export async function loadMissingCode(thrown: unknown): Promise<void> {
  if (!(thrown instanceof CodeNotLoadedError)) throw thrown
  await thrown.code.load()
}
