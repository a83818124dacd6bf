import type { SealStatus } from '../index.ts'
import type { Kernel } from '../kernel.ts'
import { CommandError, isKernelError } from './command-error.ts'
import type { SecretInput } from './secret-input.ts'

export interface UnsealOptions {
  /** A file with one share per line; `-` for standard input. Default: prompts on a terminal. */
  readonly file: string | undefined
  /** Whether to move the store to the seal of the config. Default false. */
  readonly migrate?: boolean
}

/**
 * Submits key shares until the kernel is unsealed.
 * @throws CommandError `sealed` if there are no shares or not enough shares; `integrity` if they do not unseal the store.
 */
export async function unsealWithShares(
  kernel: Kernel,
  secrets: SecretInput,
  { file, migrate = false }: UnsealOptions,
): Promise<SealStatus> {
  let status = await kernel.seal.status()
  for await (const key of sharesOf(secrets, file, status)) {
    status = await submit(kernel, key, migrate)
    if (!status.sealed) return status
  }
  throw sealed(`the store is sealed: it needs ${status.t} key shares, but got ${status.progress}`)
}

/**
 * The shares in a file, or as many as the seal needs from prompts.
 * @throws CommandError `sealed` if there is no file and no terminal.
 */
export async function* sharesOf(
  secrets: SecretInput,
  file: string | undefined,
  { t }: SealStatus,
): AsyncGenerator<string, void, undefined> {
  if (file !== undefined) yield* await secrets.readLines({ what: 'key shares', file })
  else if (secrets.isInteractive)
    for (let share = 1; share <= t; share++) yield secrets.prompt(`Enter key share ${share} of ${t}`)
  else throw sealed(`the store needs ${t} key shares, one per line in the file of --shares-file`)
}

const submit = (kernel: Kernel, key: string, migrate: boolean): Promise<SealStatus> =>
  checkingShares(kernel.seal.unseal({ key, ...(migrate && { migrate }) }))

/**
 * Shares that do not belong to the store are refused as invalid requests.
 * @throws CommandError `integrity` for such shares.
 */
export async function checkingShares<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    if (isKernelError(error) && error.code === 'ERR_INVALID_REQUEST')
      throw new CommandError('integrity', error.message, { code: 'ERR_WRONG_KEY', cause: error })
    throw error
  }
}

const sealed = (message: string): CommandError => new CommandError('sealed', message, { code: 'ERR_SEALED' })
