/** Gives a command its config, a kernel that is opened when it is first needed, secrets, and a display of progress. */
import type { SeededKernelOptions } from '../create-kernel.ts'
import type { Kernel, KernelView } from '../kernel.ts'
import type { AuditTail } from '../server/index.ts'
import { CommandError, isKernelError } from './command-error.ts'
import { type ConfigFile, loadConfig } from './config-file.ts'
import type { GlobalOptions } from './global-options.ts'
import { type ProgressDisplay, progressDisplay } from './progress-display.ts'
import { SecretInput } from './secret-input.ts'
import type { Terminal } from './terminal.ts'
import { unsealWithShares } from './unseal-with-shares.ts'
import { withAuditTail } from './with-audit-tail.ts'

export class CommandSession {
  readonly terminal: Terminal
  /** Aborted when the command is interrupted. */
  readonly signal: AbortSignal
  readonly secrets: SecretInput
  readonly globals: GlobalOptions
  #config: Promise<ConfigFile> | undefined
  #opened: Promise<Kernel> | undefined
  #token: Promise<string> | undefined

  constructor(terminal: Terminal, signal: AbortSignal, globals: GlobalOptions) {
    this.terminal = terminal
    this.signal = signal
    this.globals = globals
    this.secrets = new SecretInput(terminal, signal)
  }

  get isJson(): boolean {
    return this.globals.json === true
  }

  /** @throws CommandError `config` */
  config(): Promise<ConfigFile> {
    this.#config ??= loadConfig(this.terminal.cwd, this.globals.config)
    return this.#config
  }

  /**
   * The kernel of the config in any state. Commands do not initialize the store, and they do not apply a seed.
   * @throws CommandError `integrity` if the seal of the config does not open the store.
   */
  openKernel(): Promise<Kernel> {
    this.#opened ??= this.config().then(openStore)
    return this.#opened
  }

  /**
   * The kernel, unsealed. A kernel that waits for key shares gets them from `--shares-file`, or from prompts on a terminal.
   * @throws CommandError `sealed` if the store is not initialized, or if there are no shares; `integrity` if the shares are wrong.
   */
  async kernel(): Promise<Kernel> {
    const kernel = await this.openKernel()
    if (kernel.seal.state === 'uninitialized')
      throw new CommandError('sealed', 'the store is not initialized; run strongroom init', { code: 'ERR_NOT_INITIALIZED' })
    if (kernel.seal.state === 'sealed') await unsealWithShares(kernel, this.secrets, { file: this.globals['shares-file'] })
    return kernel
  }

  /** The facades with which a command acts: those of the token if there is one, else those of the application. */
  async caller(): Promise<KernelView> {
    const kernel = await this.kernel()
    const token = await this.token()
    return token === undefined ? (kernel as KernelView) : (kernel.as(token) as unknown as KernelView)
  }

  /** The token of `--token-file`. */
  async token(): Promise<string | undefined> {
    const file = this.globals['token-file']
    if (file === undefined) return undefined
    this.#token ??= this.secrets.read({ what: 'token', file })
    return this.#token
  }

  /**
   * Shows the progress of long work. Nothing is shown with `--json`, because standard error then contains only errors.
   * @param outcome The last text for a result.
   * @param failed The last text if the work fails.
   */
  async withProgress<R>(
    title: string,
    work: (report: ProgressDisplay['report']) => Promise<R>,
    outcome: (result: R) => string,
    failed = 'stopped',
  ): Promise<R> {
    const display = await progressDisplay(this.terminal, title, this.isJson)
    try {
      const result = await work(display.report)
      display.stop(outcome(result))
      return result
    } catch (error) {
      display.stop(failed)
      throw error
    }
  }

  /**
   * The kernel as the application opens it: it initializes the store and applies the seed if the config says so.
   * @param seed Replaces the seed of the config.
   * @param auditTail Receives the entries of the first audit sink of the config.
   */
  openApplication(seed?: object, auditTail?: AuditTail): Promise<Kernel> {
    this.#opened ??= this.config().then(({ options }) =>
      createdKernel({ ...(auditTail ? withAuditTail(options, auditTail) : options), ...(seed && { seed }) }),
    )
    return this.#opened
  }

  /** Closes the kernel, and then the storage. Opening errors were reported before. */
  async close(): Promise<void> {
    const kernel = await this.#opened?.catch(() => undefined)
    await kernel?.close()
    const config = await this.#config?.catch(() => undefined)
    await config?.close()
  }
}

/**
 * Opens the store of a config in any state, without initializing it and without its seed.
 * @throws CommandError `integrity` if the seal does not open the store; `config` for invalid options.
 */
export function openStore({ options }: Pick<ConfigFile, 'options'>): Promise<Kernel> {
  const { seed: _, ...others } = options
  return createdKernel({ ...others, initialize: false })
}

async function createdKernel(options: SeededKernelOptions): Promise<Kernel> {
  const { createKernel } = await import('../index.ts')
  try {
    return await createKernel(options)
  } catch (error) {
    if (isKernelError(error) && error.code === 'ERR_SEALED')
      throw new CommandError('integrity', error.message, { code: 'ERR_WRONG_KEY', cause: error })
    if (error instanceof TypeError) throw new CommandError('config', error.message, { cause: error })
    throw error
  }
}
